package dev.millrace.kernels.conv;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/** Transposed convolutions against sums in double that scatter each input. */
public final class TransposedConvCase implements FamilyCase {
    @Override
    public String name() {
        return "transposed convolution";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        ConvShape forward = RandomShapes.conv(random, kernels.target().lanes(), true);
        boolean plane = random.nextInt(3) == 0 && PlaneConv.fitsTransposed(kernels, forward);
        int lanes = plane ? 1 : kernels.target().lanes();
        String message = (plane ? "plane " : "") + "transposed " + forward;
        MemorySegment in = memory.random(
                BlockedImages.elements(lanes, forward.outChannels(), forward.outPixels()) * forward.batch(), random);
        ConvReference.spoilPadding(in, lanes, forward.outChannels(), forward.outPixels(), forward.batch());
        MemorySegment weights = memory.random(forward.weightElements(), random);
        MemorySegment bias = memory.random(forward.channels(), random);
        long outElements = BlockedImages.elements(lanes, forward.channels(), forward.inPixels()) * forward.batch();
        MemorySegment out = memory.random(outElements, random);
        boolean adds = random.nextBoolean() && (!plane || forward.width().stride() == 1);
        MemorySegment residual = adds ? memory.random(outElements, random) : null;
        Expr relu = Expr.input(0).apply(FloatFunction.RELU);
        try {
            Expr after = adds ? relu.plus(Expr.input(1)) : relu;
            Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
            if (plane) {
                PlaneConv conv = PlaneConv.transposed(kernels, forward, after);
                MemorySegment packed = memory.floats(conv.packedBytes() / 4);
                conv.pack(weights, bias, packed);
                MemorySegment scratch = memory.random(conv.scratchBytes(parallel.width()) / 4, random);
                conv.run(in, packed, residual, out, scratch, parallel);
            } else {
                TransposedConv conv = new TransposedConv(kernels, forward, after);
                MemorySegment packed = memory.floats(conv.packedBytes() / 4);
                conv.pack(weights, bias, packed);
                conv.run(in, packed, residual, out, parallel);
            }
        } catch (RuntimeException failure) {
            throw new AssertionError(message, failure);
        }
        for (int image = 0; image < forward.batch(); image++) {
            double[] expected = expected(forward, in, weights, bias, lanes, image);
            for (int i = 0; i < expected.length; i++) {
                int channel = (int) (i / forward.inPixels());
                long pixel = i % forward.inPixels();
                long at = ConvReference.index(lanes, forward.channels(), forward.inPixels(), image, channel, pixel);
                double wanted = Math.max(0, expected[i])
                        + (residual == null ? 0 : residual.getAtIndex(ConvReference.FLOAT, at));
                float got = out.getAtIndex(ConvReference.FLOAT, at);
                if (!(Math.abs(got - wanted) <= 2e-5)) {
                    throw new AssertionError(message + ": image " + image + ", channel " + channel + ", pixel " + pixel
                            + " is " + got + ", not " + wanted);
                }
            }
        }
    }

    /** One image, channel by channel. */
    private static double[] expected(
            ConvShape forward, MemorySegment in, MemorySegment weights, MemorySegment bias, int lanes, int image) {
        int pixels = (int) forward.inPixels();
        double[] sums = new double[forward.channels() * pixels];
        for (int channel = 0; channel < forward.channels(); channel++) {
            double first = bias.getAtIndex(ConvReference.FLOAT, channel);
            Arrays.fill(sums, channel * pixels, (channel + 1) * pixels, first);
        }
        Axis height = forward.height();
        Axis width = forward.width();
        int taps = forward.taps();
        for (int from = 0; from < forward.outChannels(); from++) {
            int group = from / forward.groupOutChannels();
            for (int pixel = 0; pixel < forward.outPixels(); pixel++) {
                long at = ConvReference.index(lanes, forward.outChannels(), forward.outPixels(), image, from, pixel);
                double value = in.getAtIndex(ConvReference.FLOAT, at);
                for (int tap = 0; tap < taps; tap++) {
                    int z = place(
                            forward.depth(), pixel / width.out() / height.out(), tap / width.taps() / height.taps());
                    int y = place(height, pixel / width.out() % height.out(), tap / width.taps() % height.taps());
                    int x = place(width, pixel % width.out(), tap % width.taps());
                    for (int i = 0; z >= 0 && y >= 0 && x >= 0 && i < forward.groupChannels(); i++) {
                        long weight = ((long) from * forward.groupChannels() + i) * taps + tap;
                        int to =
                                (group * forward.groupChannels() + i) * pixels + (z * height.in() + y) * width.in() + x;
                        sums[to] += value * weights.getAtIndex(ConvReference.FLOAT, weight);
                    }
                }
            }
        }
        return sums;
    }

    private static int place(Axis axis, int output, int tap) {
        int place = axis.start(output) + tap * axis.dilation();
        return place < axis.in() ? place : -1;
    }
}
