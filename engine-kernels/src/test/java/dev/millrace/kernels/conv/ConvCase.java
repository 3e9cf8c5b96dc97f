package dev.millrace.kernels.conv;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.kernels.image.ImageEpilogues;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Direct and Winograd convolutions, compared with sums in double. */
public final class ConvCase implements FamilyCase {
    /** An epilogue, as an expression and in double. */
    record After(Expr expression, DoubleBinaryOperator operator) {}

    private static final Expr SUM = Expr.input(0);
    private static final Expr RESIDUAL = Expr.input(1);
    private static final Expr CLIPPED = Expr.number(-0.25f).max(SUM).min(Expr.number(0.5f));
    static final After[] AFTER = {
        new After(SUM, (sum, residual) -> sum),
        new After(SUM.apply(FloatFunction.RELU), (sum, residual) -> Math.max(0, sum)),
        new After(SUM.plus(RESIDUAL).apply(FloatFunction.RELU), (sum, residual) -> Math.max(0, sum + residual)),
        new After(CLIPPED, (sum, residual) -> Math.clamp(sum, -0.25, 0.5)),
        new After(Expr.silu(SUM), (sum, residual) -> sum / (1 + Math.exp(-sum))),
        new After(
                SUM.apply(FloatFunction.SIGMOID).plus(RESIDUAL), (sum, residual) -> 1 / (1 + Math.exp(-sum)) + residual)
    };

    @Override
    public String name() {
        return "convolution";
    }

    private static ConvMethod method(Random random, ConvShape shape, boolean plain, Target target) {
        ConvMethod method = ConvMethod.values()[random.nextInt(ConvMethod.values().length)];
        return !plain && method.fits(shape, target) ? method : ConvMethod.DIRECT;
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int lanes = kernels.target().lanes();
        ConvShape shape = random.nextInt(4) == 0
                ? RandomShapes.ofThreeTaps(random, lanes, small)
                : RandomShapes.conv(random, lanes, small);
        boolean plain = random.nextInt(4) == 0;
        After after = AFTER[random.nextInt(AFTER.length)];
        ConvMethod method = method(random, shape, plain, kernels.target());
        ChannelOrder order = plain ? null : order(random, shape, lanes);
        String message = method + " " + shape + (plain ? " plain " : " ") + after.expression()
                + (order == null ? "" : " of channels " + order);
        int inBlock = plain ? 1 : lanes;
        int count = order == null ? shape.channels() : order.imageChannels();
        long inImage = plain ? count * shape.inPixels() : BlockedImages.elements(lanes, count, shape.inPixels());
        MemorySegment in = memory.random(inImage * shape.batch(), random);
        ConvReference.spoilPadding(in, inBlock, count, shape.inPixels(), shape.batch());
        MemorySegment weights = memory.random(shape.weightElements(), random);
        MemorySegment bias = random.nextBoolean() ? memory.random(shape.outChannels(), random) : null;
        long outElements = BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels()) * shape.batch();
        MemorySegment out = memory.random(outElements, random);
        boolean adds = ImageEpilogues.readsResidual(after.expression());
        MemorySegment residual = adds ? memory.random(outElements, random) : null;
        try {
            Conv conv = order == null
                    ? new Conv(kernels, shape, plain, after.expression(), method, 1 + random.nextInt(4))
                    : Conv.inOrder(kernels, shape, order, after.expression(), 1 + random.nextInt(4));
            MemorySegment packed = memory.floats(conv.packedBytes() / 4);
            conv.pack(weights, bias, packed);
            Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
            MemorySegment scratch = memory.floats(conv.scratchBytes(parallel.width()) / 4);
            Rehearsal.run(kernels, random, () -> conv.run(in, packed, residual, out, scratch, parallel), in);
        } catch (RuntimeException failure) {
            throw new AssertionError(message, failure);
        }
        MemorySegment seen = order == null ? in : ordered(in, shape, order, lanes, memory);
        compare(bound(method), shape, seen, inBlock, weights, bias, residual, after, out, lanes, message);
    }

    /**
     * Returns a selection of more channels, in any order, for half of the convolutions that can read those; null for
     * the others.
     */
    private static @Nullable ChannelOrder order(Random random, ConvShape shape, int lanes) {
        if (!Conv.readsInAnyOrder(shape) || random.nextBoolean()) {
            return null;
        }
        int count = shape.channels() + (random.nextBoolean() ? 0 : random.nextInt(lanes));
        List<Integer> channels = IntStream.range(0, count).boxed().collect(Collectors.toCollection(ArrayList::new));
        if (random.nextInt(4) > 0) {
            Collections.shuffle(channels, random);
        }
        return new ChannelOrder(
                count,
                channels.stream().limit(shape.channels()).mapToInt(i -> i).toArray());
    }

    /** Returns images of the selected channels alone, in their order. */
    private static MemorySegment ordered(
            MemorySegment in, ConvShape shape, ChannelOrder order, int lanes, GuardedMemory memory) {
        long pixels = shape.inPixels();
        MemorySegment seen = memory.floats(shape.batch() * BlockedImages.elements(lanes, shape.channels(), pixels));
        for (int image = 0; image < shape.batch(); image++) {
            for (int channel = 0; channel < shape.channels(); channel++) {
                for (int pixel = 0; pixel < pixels; pixel++) {
                    long from =
                            ConvReference.index(lanes, order.imageChannels(), pixels, image, order.of(channel), pixel);
                    long to = ConvReference.index(lanes, shape.channels(), pixels, image, channel, pixel);
                    seen.setAtIndex(ConvReference.FLOAT, to, in.getAtIndex(ConvReference.FLOAT, from));
                }
            }
        }
        return seen;
    }

    /**
     * The largest error of a method, relative to the sum of the magnitudes of all terms and of the epilogue's result.
     */
    static double bound(ConvMethod method) {
        return method == ConvMethod.WINOGRAD_4 ? 2e-6 : 4e-7;
    }

    /** @param lanes channels in a block of the output */
    static void compare(
            double bound,
            ConvShape shape,
            MemorySegment in,
            int inBlock,
            MemorySegment weights,
            @Nullable MemorySegment bias,
            @Nullable MemorySegment residual,
            After after,
            MemorySegment out,
            int lanes,
            String message) {
        for (int image = 0; image < shape.batch(); image++) {
            for (int channel = 0; channel < shape.outChannels(); channel++) {
                for (int pixel = 0; pixel < shape.outPixels(); pixel++) {
                    int x = pixel % shape.width().out();
                    int row = pixel / shape.width().out();
                    ConvReference.Sum sum = ConvReference.sum(
                            shape,
                            in,
                            inBlock,
                            weights,
                            image,
                            channel,
                            row / shape.height().out(),
                            row % shape.height().out(),
                            x);
                    double first = bias == null ? 0 : bias.getAtIndex(ConvReference.FLOAT, channel);
                    long at = ConvReference.index(lanes, shape.outChannels(), shape.outPixels(), image, channel, pixel);
                    double added = residual == null ? 0 : residual.getAtIndex(ConvReference.FLOAT, at);
                    double expected = after.operator().applyAsDouble(sum.value() + first, added);
                    float got = out.getAtIndex(ConvReference.FLOAT, at);
                    if (!(Math.abs(got - expected) <= bound * (1 + sum.size()))) {
                        throw new AssertionError(message + ": image " + image + ", channel " + channel + ", row " + row
                                + ", column " + x + " is " + got + ", not " + expected);
                    }
                }
            }
        }
    }
}
