package dev.millrace.kernels.conv;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.ImageEpilogues;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** Convolutions of plain images against sums in double; scratch memory holds anything before. */
public final class PlaneConvCase implements FamilyCase {
    @Override
    public String name() {
        return "convolution of planes";
    }

    private static ConvShape shape(Random random, boolean small) {
        int most = small ? 7 : 20;
        Axis depth = random.nextInt(5) == 0 ? RandomShapes.axis(random, 4, 3) : Axis.pointwise(1);
        Axis height = RandomShapes.axis(random, most, 4);
        Axis width = RandomShapes.axis(random, 3 * most, random.nextInt(8) == 0 ? 19 : 5);
        if (!small && random.nextInt(10) == 0) {
            height = RandomShapes.axis(random, 3, 2);
            width = RandomShapes.axis(random, 6000, 5);
        }
        int groups = random.nextInt(4) > 0 ? 1 : 1 + random.nextInt(4);
        int channels = groups * (1 + random.nextInt(5));
        int outChannels = groups * (1 + random.nextInt(9));
        return new ConvShape(1 + random.nextInt(2), channels, outChannels, groups, depth, height, width);
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        ConvShape shape = shape(random, small);
        if (!PlaneConv.fits(kernels, shape)) {
            return;
        }
        ConvCase.After after = ConvCase.AFTER[random.nextInt(ConvCase.AFTER.length)];
        String message = "planes " + shape + " " + after.expression();
        MemorySegment in = memory.random(shape.channels() * shape.inPixels() * shape.batch(), random);
        MemorySegment weights = memory.random(shape.weightElements(), random);
        MemorySegment bias = random.nextBoolean() ? memory.random(shape.outChannels(), random) : null;
        long outElements = shape.outChannels() * shape.outPixels() * shape.batch();
        MemorySegment out = memory.random(outElements, random);
        boolean adds = ImageEpilogues.readsResidual(after.expression());
        MemorySegment residual = adds ? memory.random(outElements, random) : null;
        try {
            PlaneConv conv = PlaneConv.of(kernels, shape, after.expression());
            MemorySegment packed = memory.floats(conv.packedBytes() / 4);
            conv.pack(weights, bias, packed);
            Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
            MemorySegment scratch = memory.random(conv.scratchBytes(parallel.width()) / 4, random);
            Rehearsal.run(kernels, random, () -> conv.run(in, packed, residual, out, scratch, parallel), in);
        } catch (RuntimeException failure) {
            throw new AssertionError(message, failure);
        }
        double bound = ConvCase.bound(ConvMethod.DIRECT);
        ConvCase.compare(bound, shape, in, 1, weights, bias, residual, after, out, 1, message);
    }
}
