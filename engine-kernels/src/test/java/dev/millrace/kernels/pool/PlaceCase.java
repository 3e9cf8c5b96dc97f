package dev.millrace.kernels.pool;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.RandomShapes;
import dev.millrace.kernels.image.Axis;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Poolings that tell where the largest elements are. */
public final class PlaceCase implements FamilyCase {
    @Override
    public String name() {
        return "places of largest elements";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        Axis depth = random.nextInt(4) == 0 ? RandomShapes.axis(random, 4, 3) : Axis.pointwise(1);
        Axis height = RandomShapes.axis(random, 8, 4);
        Axis width = RandomShapes.axis(random, small ? 10 : 40, 5);
        WindowShape shape = new WindowShape(1 + random.nextInt(2), 1 + random.nextInt(3), depth, height, width);
        int channels = shape.batch() * shape.channels();
        MemorySegment in = memory.floats(channels * shape.inPixels());
        for (long i = 0; i < in.byteSize() / 4; i++) {
            in.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, random.nextInt(20) - 10);
        }
        MemorySegment out = memory.random(channels * shape.outPixels(), random);
        MemorySegment places = memory.random(channels * shape.outPixels(), random);
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        new PlainPool(kernels, shape, PoolingOperation.max(), true).run(in, out, places, parallel);
        for (int channel = 0; channel < channels; channel++) {
            for (int pixel = 0; pixel < shape.outPixels(); pixel++) {
                long at = channel * shape.outPixels() + pixel;
                int expected = place(shape, in, channel * shape.inPixels(), pixel);
                int got = places.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, at);
                if (got != Math.max(0, expected)) {
                    throw new AssertionError(shape + ": channel " + channel + ", pixel " + pixel
                            + " has its largest at " + got + ", not " + expected);
                }
                float largest = out.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at);
                float wanted = expected < 0
                        ? Float.NEGATIVE_INFINITY
                        : in.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, channel * shape.inPixels() + expected);
                if (largest != wanted) {
                    throw new AssertionError(shape + ": channel " + channel + ", pixel " + pixel + " is " + largest);
                }
            }
        }
    }

    /** The first of the largest under a window, or -1. */
    private static int place(WindowShape shape, MemorySegment in, long start, int pixel) {
        int x = pixel % shape.width().out();
        int y = pixel / shape.width().out() % shape.height().out();
        int z = pixel / shape.width().out() / shape.height().out();
        int best = -1;
        float largest = Float.NEGATIVE_INFINITY;
        for (int tz = shape.depth().firstTap(z); tz < shape.depth().endTap(z); tz++) {
            for (int ty = shape.height().firstTap(y); ty < shape.height().endTap(y); ty++) {
                for (int tx = shape.width().firstTap(x); tx < shape.width().endTap(x); tx++) {
                    int plane = shape.depth().start(z) + tz * shape.depth().dilation();
                    int row = shape.height().start(y) + ty * shape.height().dilation();
                    int column = shape.width().start(x) + tx * shape.width().dilation();
                    int at = (plane * shape.height().in() + row) * shape.width().in() + column;
                    float value = in.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, start + at);
                    if (value > largest) {
                        largest = value;
                        best = at;
                    }
                }
            }
        }
        return best;
    }
}
