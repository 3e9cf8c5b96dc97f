package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.RandomShapes;
import dev.millrace.kernels.image.Axis;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.function.BiFunction;

/** Convolutions of bytes against sums of ints, in one way. */
public record QuantisedConvCase(String name, Shapes shapes, BiFunction<KernelSet, ConvShape, QuantisedConvolution> way)
        implements FamilyCase {
    /** Draws what a way can do. */
    private interface Shapes {
        ConvShape any(KernelSet kernels, Random random, boolean small);
    }

    public static QuantisedConvCase general() {
        return new QuantisedConvCase(
                "convolution of bytes",
                (kernels, random, small) ->
                        RandomShapes.conv(random, kernels.target().lanes(), small),
                QuantisedConv::new);
    }

    public static QuantisedConvCase depthwise() {
        return new QuantisedConvCase(
                "depthwise convolution of bytes",
                (_, random, small) -> depthwiseShape(random, small),
                QuantisedDepthwiseConv::new);
    }

    /** Lines that are long enough, of pixels of whole fours, for products to read windows where they are. */
    public static QuantisedConvCase windows() {
        return new QuantisedConvCase(
                "convolution of bytes by windows",
                (_, random, small) -> windowsShape(random, small),
                QuantisedConv::new);
    }

    private static ConvShape windowsShape(Random random, boolean small) {
        int groups = 1 + random.nextInt(2);
        int channels = 4 * (1 + random.nextInt(small ? 2 : 6)) * groups;
        Axis width = RandomShapes.axis(random, small ? 20 : 60, 4);
        Axis undilated = Axis.of(12 + width.in(), width.taps(), width.stride(), 1, width.before(), width.before());
        return ConvShape.flat(
                        1 + random.nextInt(2),
                        channels,
                        (1 + random.nextInt(small ? 10 : 70)) * groups,
                        RandomShapes.axis(random, small ? 4 : 12, 4),
                        undilated)
                .inGroups(groups);
    }

    private static ConvShape depthwiseShape(Random random, boolean small) {
        int channels = 1 + random.nextInt(small ? 12 : 60);
        int most = small ? 8 : 30;
        return ConvShape.flat(
                        1 + random.nextInt(2),
                        channels,
                        channels,
                        RandomShapes.axis(random, most, 5),
                        RandomShapes.axis(random, most, 7))
                .inGroups(channels);
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        ConvShape shape = shapes.any(kernels, random, small);
        ByteConv operands = new ByteConv(memory, random, shape);
        int threads = 1 + random.nextInt(3);
        String message = operands + " on " + threads + " threads";
        try {
            QuantisedConvolution conv = way.apply(kernels, shape);
            MemorySegment packed = memory.bytes(conv.packedBytes());
            conv.pack(operands.weights(), packed);
            MemorySegment scratch = memory.bytes(conv.scratchBytes(operands.arePlain(), threads));
            Runnable work = () -> conv.run(operands.in(), packed, operands.out(), scratch, TestThreads.of(threads));
            MemorySegment[] data = {
                operands.in().data(), operands.in().zeroPoints(), operands.out().scales()
            };
            Rehearsal.run(kernels, random, work, data);
        } catch (RuntimeException failure) {
            throw new AssertionError(message, failure);
        }
        operands.check(message);
    }
}
