package dev.millrace.kernels.conv;

import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.GuardedMemory;
import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.family.KernelSet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Convolutions of bytes, from plain images to plain images, against exact sums. */
public final class BlockedQuantisedConvCase implements FamilyCase {
    private static final int IN_ZERO = 121;
    private static final int OUT_ZERO = 7;

    @Override
    public String name() {
        return "quantised convolution";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int lanes = kernels.target().lanes();
        ConvShape shape = shape(random, lanes, small);
        boolean signed = random.nextBoolean();
        int inZero = signed ? IN_ZERO - 128 : IN_ZERO;
        MemorySegment in = memory.randomBytes(shape.batch() * shape.channels() * shape.inPixels(), random);
        MemorySegment weights = memory.randomBytes(shape.weightElements(), random);
        MemorySegment zeros = random.nextBoolean() ? memory.randomBytes(shape.outChannels(), random) : null;
        MemorySegment bias = memory.floats(shape.outChannels());
        MemorySegment scales = memory.floats(shape.outChannels());
        for (int i = 0; i < shape.outChannels(); i++) {
            bias.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, random.nextInt(2000) - 1000);
            scales.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, 1e-4f + random.nextFloat() * 0.01f);
        }
        MemorySegment blocked =
                memory.bytes(2 * shape.batch() * BlockedImages.elements(lanes, shape.channels(), shape.inPixels()), 4);
        MemorySegment blockedOut = memory.bytes(
                2 * shape.batch() * BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels()), 4);
        MemorySegment out = memory.bytes(shape.batch() * shape.outChannels() * shape.outPixels());
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        try {
            Reorder.ofBytes(kernels, shape.batch(), shape.channels(), shape.inPixels(), signed, inZero)
                    .toBlocked(in, blocked, parallel);
            BlockedQuantisedConv conv = new BlockedQuantisedConv(kernels, shape, -OUT_ZERO, 255 - OUT_ZERO);
            MemorySegment packed = memory.floats(conv.packedBytes() / 4);
            conv.pack(weights, zeros, bias, scales, packed);
            conv.run(blocked, packed, blockedOut, parallel);
            Reorder.ofBytes(kernels, shape.batch(), shape.outChannels(), shape.outPixels(), false, OUT_ZERO)
                    .toPlain(blockedOut, out, parallel);
        } catch (RuntimeException failure) {
            throw new AssertionError("quantised " + shape, failure);
        }
        for (int i = 0; i < out.byteSize(); i++) {
            int pixel = (int) (i % shape.outPixels());
            int channel = (int) (i / shape.outPixels() % shape.outChannels());
            int image = (int) (i / shape.outPixels() / shape.outChannels());
            int zero = zeros == null ? 0 : zeros.get(ValueLayout.JAVA_BYTE, channel);
            int sum = bias.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, channel)
                    + sum(shape, in, signed, inZero, weights, zero, image, channel, pixel);
            float scaled = sum * scales.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, channel);
            int expected = Math.clamp((long) Math.rint(scaled), -OUT_ZERO, 255 - OUT_ZERO) + OUT_ZERO;
            int got = out.get(ValueLayout.JAVA_BYTE, i) & 0xff;
            if (got != expected) {
                throw new AssertionError("quantised " + shape + ": image " + image + ", channel " + channel + ", pixel "
                        + pixel + " is " + got + ", not " + expected);
            }
        }
    }

    private static ConvShape shape(Random random, int lanes, boolean small) {
        while (true) {
            ConvShape shape = RandomShapes.conv(random, lanes, small);
            if (shape.depth().taps() == 1 && shape.width().taps() <= ConvTile.MAX_TAPS) {
                return shape;
            }
        }
    }

    private static int sum(
            ConvShape shape,
            MemorySegment in,
            boolean signed,
            int inZero,
            MemorySegment weights,
            int zero,
            int image,
            int out,
            int pixel) {
        int first = out / shape.groupOutChannels() * shape.groupChannels();
        Axis height = shape.height();
        Axis width = shape.width();
        int z = shape.depth().start(pixel / width.out() / height.out());
        int sum = 0;
        for (int channel = 0; channel < shape.groupChannels(); channel++) {
            for (int tap = 0; tap < shape.taps(); tap++) {
                int y = height.start(pixel / width.out() % height.out()) + tap / width.taps() * height.dilation();
                int x = width.start(pixel % width.out()) + tap % width.taps() * width.dilation();
                if (z < 0 || z >= shape.depth().in() || y < 0 || y >= height.in() || x < 0 || x >= width.in()) {
                    continue;
                }
                long at = (image * (long) shape.channels() + first + channel) * shape.inPixels()
                        + (z * (long) height.in() + y) * width.in()
                        + x;
                int element = in.get(ValueLayout.JAVA_BYTE, at);
                long weight = ((long) out * shape.groupChannels() + channel) * shape.taps() + tap;
                sum += ((signed ? element : element & 0xff) - inZero)
                        * (weights.get(ValueLayout.JAVA_BYTE, weight) - zero);
            }
        }
        return sum;
    }
}
