package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Conversion of images of one shape between NCHW and the NCHWc order of {@link BlockedImages}. Safe for use by several
 * threads.
 */
public final class Reorder {
    /** Pixels that one call moves. */
    private static final long PIXELS_PER_CALL = 2048;
    /** The time of moving an element, counted in multiplications. */
    private static final long WORK_PER_ELEMENT = 8;

    private final int batch;
    private final long plainImage;
    private final long blockedImage;
    private final CallPlan toBlocked;
    private final CallPlan toPlain;

    public Reorder(KernelSet kernels, int batch, int channels, long pixels) {
        int lanes = kernels.target().lanes();
        this.batch = batch;
        plainImage = Math.multiplyExact(channels, pixels);
        blockedImage = BlockedImages.elements(lanes, channels, pixels);
        toBlocked = plan(kernels, ReorderTile.Direction.TO_BLOCKED, channels, pixels);
        toPlain = plan(kernels, ReorderTile.Direction.TO_PLAIN, channels, pixels);
    }

    private static CallPlan plan(KernelSet kernels, ReorderTile.Direction direction, int channels, long pixels) {
        int lanes = kernels.target().lanes();
        boolean there = direction == ReorderTile.Direction.TO_BLOCKED;
        CallPlan.Builder calls = new CallPlan.Builder(kernels);
        CompiledKernel whole = calls.kernel(ReorderTile.key(direction, Math.min(lanes, channels)));
        for (int block = 0; block < BlockedImages.blocks(lanes, channels); block++) {
            int channelsOfBlock = Math.min(lanes, channels - block * lanes);
            CompiledKernel kernel = block == 0 || channelsOfBlock == lanes
                    ? whole
                    : calls.kernel(ReorderTile.key(direction, channelsOfBlock));
            for (long pixel = 0; pixel < pixels; pixel += PIXELS_PER_CALL) {
                long count = Math.min(PIXELS_PER_CALL, pixels - pixel);
                calls.call(
                        kernel,
                        WORK_PER_ELEMENT * count * lanes,
                        Argument.at(there ? Base.INPUT : Base.OUTPUT, 4 * (block * lanes * pixels + pixel)),
                        Argument.at(there ? Base.OUTPUT : Base.INPUT, 4 * lanes * (block * pixels + pixel)),
                        Argument.number(count),
                        Argument.number(4 * pixels));
                calls.endUnit();
            }
        }
        return calls.build();
    }

    /** Converts images into blocks of channels. Lanes behind the last channel become zero. */
    public void toBlocked(MemorySegment plain, MemorySegment blocked, Parallel parallel) {
        run(
                toBlocked,
                new Images("the plain images", plain, 4 * plainImage),
                new Images("the blocked images", blocked, 4 * blockedImage),
                parallel);
    }

    public void toPlain(MemorySegment blocked, MemorySegment plain, Parallel parallel) {
        run(
                toPlain,
                new Images("the blocked images", blocked, 4 * blockedImage),
                new Images("the plain images", plain, 4 * plainImage),
                parallel);
    }

    /** @param imageBytes bytes from one image to the next */
    private record Images(String name, MemorySegment segment, long imageBytes) {}

    private void run(CallPlan plan, Images from, Images to, Parallel parallel) {
        CallChecks.bytes(from.name(), from.segment(), Math.multiplyExact(from.imageBytes(), batch));
        CallChecks.bytes(to.name(), to.segment(), Math.multiplyExact(to.imageBytes(), batch));
        CallChecks.writable(to.name(), to.segment());
        CallChecks.apart(to.name(), to.segment(), from.name(), from.segment());
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
