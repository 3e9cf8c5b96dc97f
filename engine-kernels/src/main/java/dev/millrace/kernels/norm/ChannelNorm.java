package dev.millrace.kernels.norm;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import dev.millrace.kernels.rowwise.Shares;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * Normalises images of fp32 numbers, channel after channel: by groups of channels (each channel alone is an instance),
 * or by means and variances that are known (a batch). Memory is native (heap memory only where kernels are
 * interpreted). Safe for use by several threads.
 */
public final class ChannelNorm {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final KernelSet kernels;
    private final Kernel moments;
    private final Kernel channelScale;

    public ChannelNorm(KernelSet kernels) {
        this.kernels = kernels;
        moments = kernels.kernel(Moments.key());
        channelScale = kernels.kernel(ChannelScale.key());
    }

    /**
     * Images, and two numbers for each of their channels.
     *
     * @param out may be {@code in}, but not overlap it otherwise
     * @param pixels elements of a channel
     */
    public record Images(
            MemorySegment in,
            MemorySegment out,
            MemorySegment scale,
            MemorySegment bias,
            int batch,
            int channels,
            long pixels) {
        void check() {
            if (batch < 0 || channels < 0 || pixels < 0) {
                throw new IllegalArgumentException(
                        "there are no " + batch + " images of " + channels + " channels of " + pixels);
            }
            long elements = Math.multiplyExact(Math.multiplyExact((long) batch, channels), pixels);
            Extents.vector("the input", in, elements);
            Extents.vector("the output", out, elements);
            Extents.writable("the output", out);
            Extents.vector("the scale", scale, channels);
            Extents.vector("the bias", bias, channels);
        }
    }

    /** Normalises each group of channels of each image to a mean of 0 and a deviation of 1, then scales it. */
    public void groups(Images images, int groups, float epsilon, Parallel parallel) {
        images.check();
        if (groups < 1 || images.channels() % groups != 0) {
            throw new IllegalArgumentException(
                    images.channels() + " channels are not made of " + groups + " groups of the same size");
        }
        int size = images.channels() / groups;
        long elements = size * images.pixels();
        if (elements == 0) {
            return;
        }
        try {
            Shares.run((long) images.batch() * groups, elements, parallel, (first, count) -> {
                try (Arena arena = Arena.ofConfined()) {
                    Memory memory = kernels.newMemory();
                    MemorySegment found = arena.allocate(Moments.BYTES * count, 4);
                    int part = Float.floatToRawIntBits(1f / elements);
                    long in = memory.pointer(images.in()) + 4 * first * elements;
                    moments.call(memory, in, memory.pointer(found), count, elements, part, 0);
                    MemorySegment factors = arena.allocate(4 * count * size, 4);
                    MemorySegment offsets = arena.allocate(4 * count * size, 4);
                    for (long row = 0; row < count * size; row++) {
                        long moment = row / size;
                        float mean = found.get(FLOAT, Moments.BYTES * moment);
                        float variance = found.get(FLOAT, Moments.BYTES * moment + 4);
                        long channel = (first * size + row) % images.channels();
                        put(images, channel, mean, variance + epsilon, row, factors, offsets);
                    }
                    scale(memory, images, first * size, count * size, factors, offsets);
                }
            });
        } finally {
            Reference.reachabilityFence(images);
        }
    }

    /** Normalises each channel by a mean and a variance that are given for it, then scales it. */
    public void batch(Images images, MemorySegment means, MemorySegment variances, float epsilon, Parallel parallel) {
        images.check();
        Extents.vector("the means", means, images.channels());
        Extents.vector("the variances", variances, images.channels());
        try {
            long rows = (long) images.batch() * images.channels();
            Shares.run(rows, images.pixels(), parallel, (first, count) -> {
                try (Arena arena = Arena.ofConfined()) {
                    MemorySegment factors = arena.allocate(4 * count, 4);
                    MemorySegment offsets = arena.allocate(4 * count, 4);
                    for (long row = 0; row < count; row++) {
                        long channel = (first + row) % images.channels();
                        float variance = variances.get(FLOAT, 4 * channel) + epsilon;
                        put(images, channel, means.get(FLOAT, 4 * channel), variance, row, factors, offsets);
                    }
                    scale(kernels.newMemory(), images, first, count, factors, offsets);
                }
            });
        } finally {
            Reference.reachabilityFence(images);
        }
    }

    /** {@code (x - mean) / deviation * scale + bias} as one product and one sum. */
    private static void put(
            Images images,
            long channel,
            float mean,
            float variance,
            long row,
            MemorySegment factors,
            MemorySegment offsets) {
        double factor = images.scale().get(FLOAT, 4 * channel) / Math.sqrt(variance);
        factors.set(FLOAT, 4 * row, (float) factor);
        offsets.set(FLOAT, 4 * row, (float) (images.bias().get(FLOAT, 4 * channel) - mean * factor));
    }

    private void scale(
            Memory memory, Images images, long row, long rows, MemorySegment factors, MemorySegment offsets) {
        long offset = 4 * row * images.pixels();
        channelScale.call(
                memory,
                memory.pointer(images.in()) + offset,
                memory.pointer(images.out()) + offset,
                memory.pointer(factors),
                memory.pointer(offsets),
                rows,
                images.pixels());
    }
}
