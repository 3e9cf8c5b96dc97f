package dev.millrace.kernels.norm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Groups of channels, from instances to layers, and batches. */
public final class ChannelNormCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final float EPSILON = 1e-4f;
    private static final double BOUND = 1e-4;

    @Override
    public String name() {
        return "norm.channels";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int batch = random.nextInt(4);
        int groups = 1 + random.nextInt(5);
        int size = 1 + random.nextInt(4);
        int channels = groups * size;
        int pixels = random.nextInt(small ? 30 : 300);
        long elements = (long) batch * channels * pixels;
        MemorySegment in = memory.random(elements, random);
        MemorySegment out = random.nextBoolean() ? in : memory.floats(elements);
        MemorySegment scale = memory.random(channels, random);
        MemorySegment bias = memory.random(channels, random);
        double[] x = new double[(int) elements];
        for (int i = 0; i < elements; i++) {
            x[i] = in.getAtIndex(FLOAT, i);
        }
        ChannelNorm norm = new ChannelNorm(kernels);
        ChannelNorm.Images images = new ChannelNorm.Images(in, out, scale, bias, batch, channels, pixels);
        boolean known = random.nextBoolean();
        MemorySegment means = memory.random(channels, random);
        MemorySegment variances = memory.random(channels, random);
        for (int i = 0; i < channels; i++) {
            variances.setAtIndex(FLOAT, i, variances.getAtIndex(FLOAT, i) + 0.6f);
        }
        Parallel threads = TestThreads.of(1 + random.nextInt(3));
        if (known) {
            MemorySegment factors = memory.floats(channels);
            MemorySegment offsets = memory.floats(channels);
            ChannelNorm.foldBatch(scale, bias, means, variances, EPSILON, factors, offsets);
            var scaled = new ChannelNorm.Images(in, out, factors, offsets, batch, channels, pixels);
            Rehearsal.run(kernels, random, () -> norm.scale(scaled, threads), in);
        } else {
            Rehearsal.run(kernels, random, () -> norm.groups(images, groups, EPSILON, threads), in);
        }
        int part = size * pixels;
        for (int i = 0; i < elements; i++) {
            int channel = i / pixels % channels;
            int first = i / part * part;
            double mean = known ? means.getAtIndex(FLOAT, channel) : mean(x, first, part);
            double variance = known ? variances.getAtIndex(FLOAT, channel) : variance(x, first, part, mean);
            double wanted = (x[i] - mean) / Math.sqrt(variance + EPSILON) * scale.getAtIndex(FLOAT, channel)
                    + bias.getAtIndex(FLOAT, channel);
            String shape = batch + " x " + groups + "*" + size + " x " + pixels + (known ? ", batch" : ", groups");
            assertEquals(wanted, out.getAtIndex(FLOAT, i), BOUND, shape);
        }
    }

    private static double mean(double[] x, int first, int count) {
        double sum = 0;
        for (int i = first; i < first + count; i++) {
            sum += x[i];
        }
        return sum / count;
    }

    private static double variance(double[] x, int first, int count, double mean) {
        double sum = 0;
        for (int i = first; i < first + count; i++) {
            sum += (x[i] - mean) * (x[i] - mean);
        }
        return sum / count;
    }
}
