package dev.millrace.kernels.conv;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.CallPlan;
import dev.millrace.kernels.driver.CallPlan.Argument;
import dev.millrace.kernels.driver.CallPlan.Base;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelSet;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/** Brings images of one shape into the order of {@link BlockedImages} and back. Safe for use by several threads. */
public final class Reorder {
    /** Pixels that are done by one call. */
    private static final long PIXELS_PER_CALL = 2048;
    /** A move takes as long as this many multiplications. */
    private static final long WORK_PER_ELEMENT = 8;

    private final int batch;
    private final ReorderTile.Elements elements;
    private final long plainImage;
    private final long blockedImage;
    private final CallPlan toBlocked;
    private final CallPlan toPlain;

    /** Of floats. */
    public Reorder(KernelSet kernels, int batch, int channels, long pixels) {
        this(kernels, batch, channels, pixels, ReorderTile.Elements.FLOATS, 0);
    }

    private Reorder(KernelSet kernels, int batch, int channels, long pixels, ReorderTile.Elements elements, int zero) {
        this.elements = elements;
        int lanes = kernels.target().lanes();
        this.batch = batch;
        plainImage = Math.multiplyExact(channels, pixels);
        blockedImage = BlockedImages.elements(lanes, channels, pixels);
        toBlocked = plan(kernels, ReorderTile.Direction.TO_BLOCKED, elements, channels, pixels, zero);
        toPlain = plan(kernels, ReorderTile.Direction.TO_PLAIN, elements, channels, pixels, zero);
    }

    /**
     * Of bytes, which are ints of 16 bits in blocks.
     *
     * @param zero the byte that becomes 0
     */
    public static Reorder ofBytes(KernelSet kernels, int batch, int channels, long pixels, boolean signed, int zero) {
        var elements = signed ? ReorderTile.Elements.SIGNED_BYTES : ReorderTile.Elements.UNSIGNED_BYTES;
        return new Reorder(kernels, batch, channels, pixels, elements, zero);
    }

    private static CallPlan plan(
            KernelSet kernels,
            ReorderTile.Direction direction,
            ReorderTile.Elements elements,
            int channels,
            long pixels,
            int zero) {
        int lanes = kernels.target().lanes();
        boolean there = direction == ReorderTile.Direction.TO_BLOCKED;
        CallPlan.Builder calls = new CallPlan.Builder(kernels);
        for (int block = 0; block < BlockedImages.blocks(lanes, channels); block++) {
            int channelsOfBlock = Math.min(lanes, channels - block * lanes);
            for (long pixel = 0; pixel < pixels; pixel += PIXELS_PER_CALL) {
                long count = Math.min(PIXELS_PER_CALL, pixels - pixel);
                calls.call(
                        ReorderTile.key(direction, elements, channelsOfBlock),
                        WORK_PER_ELEMENT * count * lanes,
                        Argument.at(
                                there ? Base.INPUT : Base.OUTPUT,
                                elements.plainBytes() * (block * lanes * pixels + pixel)),
                        Argument.at(
                                there ? Base.OUTPUT : Base.INPUT,
                                (long) elements.blockedBytes() * lanes * (block * pixels + pixel)),
                        Argument.number(count),
                        Argument.number(elements.plainBytes() * pixels),
                        Argument.number(zero));
                calls.endUnit();
            }
        }
        return calls.build();
    }

    /** What fills up the last block of channels becomes zero. */
    public void toBlocked(MemorySegment plain, MemorySegment blocked, Parallel parallel) {
        run(
                toBlocked,
                new Images("the plain images", plain, elements.plainBytes() * plainImage),
                new Images("the blocked images", blocked, elements.blockedBytes() * blockedImage),
                parallel);
    }

    public void toPlain(MemorySegment blocked, MemorySegment plain, Parallel parallel) {
        run(
                toPlain,
                new Images("the blocked images", blocked, elements.blockedBytes() * blockedImage),
                new Images("the plain images", plain, elements.plainBytes() * plainImage),
                parallel);
    }

    /** @param imageBytes from one image to the next */
    private record Images(String name, MemorySegment segment, long imageBytes) {}

    private void run(CallPlan plan, Images from, Images to, Parallel parallel) {
        Extents.bytes(from.name(), from.segment(), Math.multiplyExact(from.imageBytes(), batch));
        Extents.bytes(to.name(), to.segment(), Math.multiplyExact(to.imageBytes(), batch));
        Extents.writable(to.name(), to.segment());
        Extents.apart(to.name(), to.segment(), from.name(), from.segment());
        try {
            plan.run(
                    CallPlan.Operands.of(batch)
                            .with(Base.INPUT, from.segment(), from.imageBytes())
                            .with(Base.OUTPUT, to.segment(), to.imageBytes()),
                    parallel);
        } finally {
            Reference.reachabilityFence(from);
            Reference.reachabilityFence(to);
        }
    }
}
