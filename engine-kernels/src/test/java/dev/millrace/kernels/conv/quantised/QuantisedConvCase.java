package dev.millrace.kernels.conv.quantised;

import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.GuardedMemory;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.RandomShapes;
import dev.millrace.kernels.family.KernelSet;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** Convolutions of bytes against sums of ints. */
public final class QuantisedConvCase implements FamilyCase {
    @Override
    public String name() {
        return "convolution of bytes";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        ConvShape shape = RandomShapes.conv(random, kernels.target().lanes(), small);
        ByteConv operands = new ByteConv(memory, random, shape);
        int threads = 1 + random.nextInt(3);
        String message = operands + " on " + threads + " threads";
        try {
            QuantisedConv conv = new QuantisedConv(kernels, shape);
            MemorySegment packed = memory.bytes(conv.packedBytes());
            conv.pack(operands.weights(), packed);
            conv.run(operands.in(), packed, operands.out(), TestThreads.of(threads));
        } catch (RuntimeException failure) {
            throw new AssertionError(message, failure);
        }
        operands.check(message);
    }
}
