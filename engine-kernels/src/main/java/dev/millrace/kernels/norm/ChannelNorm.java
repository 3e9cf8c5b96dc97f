package dev.millrace.kernels.norm;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.norm.FoldChannels.Argument;
import dev.millrace.kernels.rows.RowPartitioner;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * Normalises images of fp32 numbers, channel after channel: by groups of channels (each channel alone is an instance),
 * or by factors and offsets that are known (a batch). Memory is native (heap memory only where kernels are
 * interpreted). Safe for use by several threads.
 */
public final class ChannelNorm {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    /** Groups are read twice: so much of them at a time that they are still near for the second time. */
    private static final long BLOCK_BYTES = 128 << 10;

    private final KernelSet kernels;
    private final CompiledKernel moments;
    private final CompiledKernel fold;
    private final CompiledKernel scale;
    private final CompiledKernel centred;
    private final DriverScratch scratch = new DriverScratch();

    public ChannelNorm(KernelSet kernels) {
        this.kernels = kernels;
        moments = kernels.kernel(MomentsKernel.key());
        fold = kernels.kernel(FoldChannels.key());
        scale = kernels.kernel(new ChannelScale(false).key());
        centred = kernels.kernel(new ChannelScale(true).key());
    }

    /**
     * Images, and two numbers for each of their channels.
     *
     * @param out may be {@code in}, but not overlap it otherwise
     * @param factors what channels are multiplied by
     * @param offsets what is added to them then
     * @param pixels elements of a channel
     */
    public record Images(
            MemorySegment in,
            MemorySegment out,
            MemorySegment factors,
            MemorySegment offsets,
            int batch,
            int channels,
            long pixels) {
        void check() {
            if (batch < 0 || channels < 0 || pixels < 0) {
                throw new IllegalArgumentException(
                        "there are no " + batch + " images of " + channels + " channels of " + pixels);
            }
            long elements = Math.multiplyExact(Math.multiplyExact((long) batch, channels), pixels);
            CallChecks.vector("the input", in, elements);
            CallChecks.vector("the output", out, elements);
            CallChecks.writable("the output", out);
            CallChecks.vector("the factors", factors, channels);
            CallChecks.vector("the offsets", offsets, channels);
            long bytes = Float.BYTES * elements;
            long numberBytes = Float.BYTES * (long) channels;
            CallChecks.sameOrApart("the output", out, "the input", in, bytes);
            CallChecks.apart("the output", out, bytes, "the factors", factors, numberBytes);
            CallChecks.apart("the output", out, bytes, "the offsets", offsets, numberBytes);
        }

        boolean isEmpty() {
            return batch == 0 || channels == 0 || pixels == 0;
        }
    }

    /**
     * Normalises each group of channels of each image to a mean of 0 and a deviation of 1, then scales it by the
     * images' factors and offsets.
     */
    public void groups(Images images, int groups, float epsilon, Parallel parallel) {
        images.check();
        if (groups < 1 || images.channels() % groups != 0) {
            throw new IllegalArgumentException(
                    images.channels() + " channels are not made of " + groups + " groups of the same size");
        }
        if (images.isEmpty()) {
            return;
        }
        int size = images.channels() / groups;
        long elements = size * images.pixels();
        try {
            RowPartitioner.run((long) images.batch() * groups, elements, parallel, (first, count) -> {
                long block = Math.clamp(BLOCK_BYTES / (4 * elements), 1, groups);
                GroupRun run = new GroupRun(images, size, block, epsilon);
                for (long at = first; at < first + count; ) {
                    long ofImage = Math.min(block, groups - at % groups);
                    long now = Math.min(ofImage, first + count - at);
                    run.some(at, at % groups, now);
                    at += now;
                }
                Reference.reachabilityFence(run);
            });
        } finally {
            Reference.reachabilityFence(images);
        }
    }

    /** Some groups on one thread. */
    private final class GroupRun {
        private final Images images;
        private final int size;
        private final long elements;
        private final float epsilon;
        private final Memory memory = kernels.newMemory();
        private final MemorySegment arguments;
        private final long found;
        private final long factors;

        GroupRun(Images images, int size, long block, float epsilon) {
            this.images = images;
            this.size = size;
            this.epsilon = epsilon;
            elements = size * images.pixels();
            long ofMoments = MomentsKernel.BYTES * block;
            long ofChannels = Float.BYTES * block * size;
            arguments = scratch.atLeast(Argument.BYTES + ofMoments + 2 * ofChannels);
            found = memory.pointer(arguments) + Argument.BYTES;
            factors = found + ofMoments;
            put(Argument.MOMENTS, found);
            put(Argument.FACTORS, factors);
            put(Argument.SIZE, size);
        }

        private void put(Argument argument, long value) {
            arguments.set(ValueLayout.JAVA_LONG, argument.offset(), value);
        }

        /** @param group of its image */
        void some(long first, long group, long count) {
            long offset = 4 * first * elements;
            long in = memory.pointer(images.in()) + offset;
            moments.call(
                    memory,
                    in,
                    found,
                    count,
                    elements,
                    Float.floatToRawIntBits((float) elements),
                    Float.floatToRawIntBits(epsilon));
            put(Argument.SCALE, memory.pointer(images.factors()) + 4 * group * size);
            put(Argument.MEANS, factors + 4 * count * size);
            put(Argument.GROUPS, count);
            MemorySegment block = arguments.asSlice(0, Argument.BYTES);
            fold.call(memory, Recording.arguments(block, memory.pointer(block)), 0, 0, 0, 0, 0);
            long out = memory.pointer(images.out()) + offset;
            long offsets = memory.pointer(images.offsets()) + 4 * group * size;
            centred.call(memory, in, out, factors, offsets, count * size, images.pixels());
        }
    }

    /** Multiplies each channel by its factor and adds its offset: see {@link #foldBatch}. */
    public void scale(Images images, Parallel parallel) {
        images.check();
        if (images.isEmpty()) {
            return;
        }
        try {
            long rows = (long) images.batch() * images.channels();
            RowPartitioner.run(rows, images.pixels(), parallel, (first, count) -> {
                Memory memory = kernels.newMemory();
                for (long row = first; row < first + count; ) {
                    long channel = row % images.channels();
                    long now = Math.min(images.channels() - channel, first + count - row);
                    long offset = 4 * row * images.pixels();
                    scale.call(
                            memory,
                            memory.pointer(images.in()) + offset,
                            memory.pointer(images.out()) + offset,
                            memory.pointer(images.factors()) + 4 * channel,
                            memory.pointer(images.offsets()) + 4 * channel,
                            now,
                            images.pixels());
                    row += now;
                }
            });
        } finally {
            Reference.reachabilityFence(images);
        }
    }

    /**
     * Makes a batch normalisation one product and one sum per channel: {@code (x - mean) / deviation * scale + bias}.
     * That is done once for constant operands.
     *
     * @param factors where what channels are multiplied by goes, a float for each; its size says how many there are
     * @param offsets where what is added to them then goes
     */
    public static void foldBatch(
            MemorySegment scale,
            MemorySegment bias,
            MemorySegment means,
            MemorySegment variances,
            float epsilon,
            MemorySegment factors,
            MemorySegment offsets) {
        long channels = factors.byteSize() / Float.BYTES;
        CallChecks.vector("the scale", scale, channels);
        CallChecks.vector("the bias", bias, channels);
        CallChecks.vector("the means", means, channels);
        CallChecks.vector("the variances", variances, channels);
        CallChecks.vector("the offsets", offsets, channels);
        // in arrays, since this runs while a session is made, before anything is compiled
        float[] foldedScale = scale.asSlice(0, Float.BYTES * channels).toArray(FLOAT);
        float[] foldedBias = bias.asSlice(0, Float.BYTES * channels).toArray(FLOAT);
        float[] mean = means.asSlice(0, Float.BYTES * channels).toArray(FLOAT);
        float[] variance = variances.asSlice(0, Float.BYTES * channels).toArray(FLOAT);
        for (int i = 0; i < mean.length; i++) {
            double factor = foldedScale[i] / Math.sqrt((double) variance[i] + epsilon);
            foldedScale[i] = (float) factor;
            foldedBias[i] = (float) (foldedBias[i] - mean[i] * factor);
        }
        MemorySegment.copy(foldedScale, 0, factors, FLOAT, 0, foldedScale.length);
        MemorySegment.copy(foldedBias, 0, offsets, FLOAT, 0, foldedBias.length);
    }
}
