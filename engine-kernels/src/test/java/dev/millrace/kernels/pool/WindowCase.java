package dev.millrace.kernels.pool;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.RandomShapes;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Depthwise convolutions and poolings, compared with a reference in double. */
public final class WindowCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private enum Kind {
        DEPTHWISE,
        DEPTHWISE_RELU_RESIDUAL,
        DEPTHWISE_SILU,
        MAX,
        AVERAGE,
        AVERAGE_WITH_PADDING,
        NORM1,
        NORM2,
        NORM3
    }

    @Override
    public String name() {
        return "windows over channels";
    }

    private static WindowShape shape(Random random, int lanes, boolean small) {
        int most = small ? 8 : 40;
        Axis depth = random.nextInt(6) == 0 ? RandomShapes.axis(random, 4, 3) : Axis.pointwise(1);
        Axis height = RandomShapes.axis(random, most / 2, 5);
        Axis width = RandomShapes.axis(random, most, random.nextInt(6) == 0 ? 40 : 6);
        if (random.nextInt(6) == 0) {
            height = whole(1 + random.nextInt(most / 2));
            width = whole(1 + random.nextInt(most));
        }
        if (random.nextInt(8) == 0) {
            width = farPadded(width, 1 + random.nextInt(3 * most));
        }
        return new WindowShape(1 + random.nextInt(2), 1 + random.nextInt(3 * lanes), depth, height, width);
    }

    private static Axis whole(int size) {
        return Axis.of(size, size, 1, 1, 0, 0);
    }

    /**
     * Returns an axis with {@code outputs} more outputs on both sides, which read nothing but padding, or little else.
     */
    private static Axis farPadded(Axis axis, int outputs) {
        int before = axis.before() + outputs * axis.stride();
        return new Axis(axis.in(), axis.out() + 2 * outputs, axis.taps(), axis.stride(), axis.dilation(), before);
    }

    private static int behind(Random random, Axis axis) {
        int last = axis.start(Math.max(0, axis.out() - 1)) + (axis.taps() - 1) * axis.dilation() + 1;
        return Math.max(0, last - axis.in() - random.nextInt(2));
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
        boolean plain = kind.ordinal() >= Kind.MAX.ordinal() && random.nextInt(3) == 0;
        WindowShape shape = shape(random, kernels.target().lanes(), small);
        int lanes = plain ? 1 : kernels.target().lanes();
        int[] behind = {behind(random, shape.depth()), behind(random, shape.height()), behind(random, shape.width())};
        MemorySegment in = memory.random(
                BlockedImages.elements(lanes, shape.channels(), shape.inPixels()) * shape.batch(), random);
        long outElements = BlockedImages.elements(lanes, shape.channels(), shape.outPixels()) * shape.batch();
        MemorySegment out = memory.random(outElements, random);
        MemorySegment residual = memory.random(outElements, random);
        MemorySegment weights = memory.random((long) shape.channels() * shape.taps(), random);
        MemorySegment bias = memory.random(shape.channels(), random);
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        String message = (plain ? "plain " : "") + kind + " " + shape;
        try {
            switch (kind) {
                case MAX -> pool(kernels, shape, PoolingOperation.max(), plain, in, out, memory, random, parallel);
                case AVERAGE ->
                    pool(kernels, shape, PoolingOperation.average(), plain, in, out, memory, random, parallel);
                case AVERAGE_WITH_PADDING -> {
                    PoolingOperation average = PoolingOperation.averageWithPadding(behind[0], behind[1], behind[2]);
                    pool(kernels, shape, average, plain, in, out, memory, random, parallel);
                }
                case NORM1 -> pool(kernels, shape, PoolingOperation.norm(1), plain, in, out, memory, random, parallel);
                case NORM2 -> pool(kernels, shape, PoolingOperation.norm(2), plain, in, out, memory, random, parallel);
                case NORM3 -> pool(kernels, shape, PoolingOperation.norm(3), plain, in, out, memory, random, parallel);
                default -> {
                    Expr sum = Expr.input(0);
                    boolean adds = kind == Kind.DEPTHWISE_RELU_RESIDUAL;
                    Expr after = adds
                            ? sum.apply(FloatFunction.RELU).plus(Expr.input(1))
                            : kind == Kind.DEPTHWISE_SILU ? Expr.silu(sum) : sum;
                    DepthwiseConv conv = new DepthwiseConv(kernels, shape, after);
                    MemorySegment packed = memory.floats(conv.packedBytes() / 4);
                    conv.pack(weights, bias, packed);
                    conv.run(in, packed, adds ? residual : null, out, parallel);
                }
            }
        } catch (RuntimeException failure) {
            throw new AssertionError(message, failure);
        }
        for (int image = 0; image < shape.batch(); image++) {
            for (int channel = 0; channel < shape.channels(); channel++) {
                for (int pixel = 0; pixel < shape.outPixels(); pixel++) {
                    double expected =
                            expected(kind, shape, in, weights, bias, residual, behind, lanes, image, channel, pixel);
                    long at = index(lanes, shape.channels(), shape.outPixels(), image, channel, pixel);
                    float got = out.getAtIndex(FLOAT, at);
                    if (!(Math.abs(got - expected) <= 1e-5 * Math.max(1, Math.abs(expected))
                            || Double.compare(got, expected) == 0)) {
                        throw new AssertionError(message + ": image " + image + ", channel " + channel + ", pixel "
                                + pixel + " is " + got + ", not " + expected);
                    }
                }
            }
        }
    }

    private static void pool(
            KernelSet kernels,
            WindowShape shape,
            PoolingOperation pooling,
            boolean plain,
            MemorySegment in,
            MemorySegment out,
            GuardedMemory memory,
            Random random,
            Parallel parallel) {
        if (plain && random.nextInt(3) > 0 && PlanePool.fits(kernels, shape, pooling)) {
            PlanePool pool = new PlanePool(kernels, shape, pooling);
            pool.run(in, out, memory.random(pool.scratchBytes(parallel.width()) / 4, random), parallel);
        } else if (plain) {
            new PlainPool(kernels, shape, pooling, false).run(in, out, null, parallel);
        } else {
            new Pool(kernels, shape, pooling).run(in, out, parallel);
        }
    }

    private static long index(int lanes, int channels, long pixels, int image, int channel, long pixel) {
        return ((image * (long) BlockedImages.blocks(lanes, channels) + channel / lanes) * pixels + pixel) * lanes
                + channel % lanes;
    }

    private static double expected(
            Kind kind,
            WindowShape shape,
            MemorySegment in,
            MemorySegment weights,
            MemorySegment bias,
            MemorySegment residual,
            int[] behind,
            int lanes,
            int image,
            int channel,
            int outPixel) {
        int x = outPixel % shape.width().out();
        int y = outPixel / shape.width().out() % shape.height().out();
        int z = outPixel / shape.width().out() / shape.height().out();
        double max = Double.NEGATIVE_INFINITY;
        double sum = 0;
        int inside = 0;
        int withPadding = 0;
        for (int tz = 0; tz < shape.depth().taps(); tz++) {
            for (int ty = 0; ty < shape.height().taps(); ty++) {
                for (int tx = 0; tx < shape.width().taps(); tx++) {
                    int iz = shape.depth().start(z) + tz * shape.depth().dilation();
                    int iy = shape.height().start(y) + ty * shape.height().dilation();
                    int ix = shape.width().start(x) + tx * shape.width().dilation();
                    withPadding += iz < shape.depth().in() + behind[0]
                                    && iy < shape.height().in() + behind[1]
                                    && ix < shape.width().in() + behind[2]
                            ? 1
                            : 0;
                    if (iz < 0
                            || iy < 0
                            || ix < 0
                            || iz >= shape.depth().in()
                            || iy >= shape.height().in()
                            || ix >= shape.width().in()) {
                        continue;
                    }
                    inside++;
                    long pixel = ((long) iz * shape.height().in() + iy)
                                    * shape.width().in()
                            + ix;
                    double value = in.getAtIndex(
                            FLOAT, index(lanes, shape.channels(), shape.inPixels(), image, channel, pixel));
                    max = Math.max(max, value);
                    int tap = (tz * shape.height().taps() + ty) * shape.width().taps() + tx;
                    sum += switch (kind) {
                        case AVERAGE, AVERAGE_WITH_PADDING, MAX -> value;
                        case NORM1 -> Math.abs(value);
                        case NORM2 -> value * value;
                        case NORM3 -> Math.abs(value * value * value);
                        default -> value * weights.getAtIndex(FLOAT, (long) channel * shape.taps() + tap);
                    };
                }
            }
        }
        double biased = sum + bias.getAtIndex(FLOAT, channel);
        return switch (kind) {
            case MAX -> max;
            case AVERAGE -> sum / inside;
            case AVERAGE_WITH_PADDING -> sum / withPadding;
            case NORM1 -> sum;
            case NORM2 -> Math.sqrt(sum);
            case NORM3 -> Math.cbrt(sum);
            case DEPTHWISE -> biased;
            case DEPTHWISE_RELU_RESIDUAL ->
                Math.max(0, biased)
                        + residual.getAtIndex(
                                FLOAT, index(lanes, shape.channels(), shape.outPixels(), image, channel, outPixel));
            case DEPTHWISE_SILU -> biased / (1 + Math.exp(-biased));
        };
    }
}
