package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Writes some channels of images from channels of others, in any order; both in the order of {@link BlockedImages}. Safe
 * for use by several threads.
 */
public final class ChannelMove {
    private static final long PIXELS_PER_CALL = 2048;
    /** A move takes as long as this many multiplications. */
    private static final long WORK_PER_ELEMENT = 8;
    /** A channel that becomes zero. */
    public static final int ZERO = -1;

    private final int batch;
    private final long inImage;
    private final long outImage;
    private final boolean reads;
    private final CallPlan plan;

    /** Images of which channels are written: how many they have, and the first one that is written. */
    public record Target(int channels, int first) {}

    /**
     * @param inChannels of the images that are read
     * @param order for each channel that is written, one after the other, which channel it is made from, or {@link #ZERO};
     *     where the last channel is written, what fills up its block becomes zero
     * @throws IllegalArgumentException if there is no such channel, or if images are too large
     */
    public ChannelMove(KernelSet kernels, int batch, long pixels, int inChannels, Target target, int[] order) {
        int lanes = kernels.target().lanes();
        int end = target.first() + order.length;
        if (target.first() < 0 || order.length == 0 || end > target.channels()) {
            throw new IllegalArgumentException(order.length + " channels from " + target);
        }
        this.batch = batch;
        inImage = BlockedImages.elements(lanes, inChannels, pixels);
        outImage = BlockedImages.elements(lanes, target.channels(), pixels);
        if (inImage > Integer.MAX_VALUE || Arrays.stream(order).anyMatch(from -> from < ZERO || from >= inChannels)) {
            throw new IllegalArgumentException(
                    "channels " + Arrays.toString(order) + " of images of " + inChannels + " times " + pixels);
        }
        reads = Arrays.stream(order).anyMatch(from -> from != ZERO);
        var calls = new CallPlan.Builder(kernels);
        int written = end == target.channels() ? Math.ceilDiv(end, lanes) * lanes : end;
        for (int block = target.first() / lanes; block * lanes < written; block++) {
            var from = new int[lanes];
            var isWritten = new boolean[lanes];
            Arrays.fill(from, ZERO);
            for (int lane = 0; lane < lanes; lane++) {
                int channel = block * lanes + lane;
                isWritten[lane] = channel >= target.first() && channel < written;
                from[lane] = isWritten[lane] && channel < end ? order[channel - target.first()] : ZERO;
            }
            block(calls, pixels, block, from, isWritten);
        }
        plan = calls.build();
    }

    private static void block(CallPlan.Builder calls, long pixels, int block, int[] from, boolean[] written) {
        int lanes = from.length;
        ChannelTile.Source source = source(from);
        int first = Arrays.stream(from).filter(channel -> channel != ZERO).min().orElse(0) / lanes;
        boolean all = true;
        long[] sizes = new long[lanes];
        for (int lane = 0; lane < lanes; lane++) {
            int channel = from[lane];
            long place = channel == ZERO ? ZERO : (channel / lanes - first) * pixels * lanes + channel % lanes;
            put(sizes, lane, (int) place);
            put(sizes, lanes + lane, written[lane] ? 1 : 0);
            all &= written[lane];
        }
        for (long pixel = 0; pixel < pixels; pixel += PIXELS_PER_CALL) {
            long count = Math.min(PIXELS_PER_CALL, pixels - pixel);
            calls.call(
                    ChannelTile.key(source, all),
                    WORK_PER_ELEMENT * count * lanes,
                    Argument.at(Base.INPUT, 4 * lanes * (first * pixels + pixel)),
                    Argument.at(Base.OUTPUT, 4 * lanes * (block * pixels + pixel)),
                    Argument.number(count),
                    calls.sizes(sizes));
            calls.endUnit();
        }
    }

    private static void put(long[] ints, int index, int value) {
        int shift = index % 2 * Integer.SIZE;
        ints[index / 2] |= (value & 0xffff_ffffL) << shift;
    }

    private static ChannelTile.Source source(int[] from) {
        int lanes = from.length;
        int block = -1;
        boolean same = true;
        for (int lane = 0; lane < lanes; lane++) {
            if (from[lane] != ZERO) {
                same &= from[lane] % lanes == lane && (block < 0 || block == from[lane] / lanes);
                block = from[lane] / lanes;
            }
        }
        return block < 0
                ? ChannelTile.Source.NOTHING
                : same ? ChannelTile.Source.SAME_LANES : ChannelTile.Source.ANYWHERE;
    }

    /** @param in null if and only if all channels that are written become zero */
    public void run(@Nullable MemorySegment in, MemorySegment out, Parallel parallel) {
        if (reads != (in != null)) {
            throw new IllegalArgumentException(reads ? "no images are given" : "no channel of images is read");
        }
        CallChecks.bytes("the written images", out, Math.multiplyExact(4 * outImage, batch));
        CallChecks.writable("the written images", out);
        if (in != null) {
            CallChecks.bytes("the read images", in, Math.multiplyExact(4 * inImage, batch));
            CallChecks.apart("the written images", out, "the read images", in);
        }
        plan.run(
                CallPlan.Operands.of(batch).with(Base.INPUT, in, 4 * inImage).with(Base.OUTPUT, out, 4 * outImage),
                parallel);
    }
}
