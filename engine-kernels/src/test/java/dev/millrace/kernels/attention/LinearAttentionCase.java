package dev.millrace.kernels.attention;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Linear attention of any shape and rule. */
public final class LinearAttentionCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final double TOLERANCE = 1e-4;

    @Override
    public String name() {
        return "linear attention";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int keyHeads = 1 + random.nextInt(3);
        var shape = new LinearAttention.Shape(
                1 + random.nextInt(2),
                1 + random.nextInt(small ? 3 : 12),
                keyHeads * (1 + random.nextInt(3)),
                keyHeads,
                1 + random.nextInt(small ? 20 : 140),
                1 + random.nextInt(small ? 20 : 140));
        var rule = new LinearAttention.Rule(
                LinearAttention.Decay.values()[random.nextInt(LinearAttention.Decay.values().length)],
                random.nextBoolean());
        long rows = (long) shape.batch() * shape.steps();
        int decays = rule.decay() == LinearAttention.Decay.OF_ROW ? shape.depth() : 1;
        int rateHeads = random.nextBoolean() ? 1 : keyHeads;
        float scale = 1 / (float) Math.sqrt(shape.depth());
        var operands = new LinearAttention.Operands(
                scaled(memory, random, rows * shape.heads() * shape.depth(), 1),
                scaled(memory, random, rows * keyHeads * shape.depth(), scale),
                scaled(memory, random, rows * keyHeads * shape.valueDepth(), 1),
                scaled(memory, random, shape.stateElements(), 1),
                scaled(memory, random, rows * shape.heads() * shape.valueDepth(), 1),
                rule.decay() == LinearAttention.Decay.NONE ? null : scaled(memory, random, rows * keyHeads * decays, 1),
                rule.corrects() ? scaled(memory, random, rows * rateHeads, 1) : null,
                rateHeads,
                scale);
        var reference = new LinearAttentionReference(shape, operands, decays);
        reference.run();
        int threads = 1 + random.nextInt(3);
        MemorySegment scratch = memory.floats(LinearAttention.scratchBytes(threads) / Float.BYTES);
        new LinearAttention(kernels, rule).run(shape, operands, scratch, TestThreads.of(threads));
        String text = shape + " " + rule;
        assertSame(text + " state", operands.state(), reference.state);
        assertSame(text + " output", operands.out(), reference.out);
    }

    private static MemorySegment scaled(GuardedMemory memory, Random random, long count, float scale) {
        MemorySegment segment = memory.random(count, random);
        for (long i = 0; i < count; i++) {
            segment.setAtIndex(FLOAT, i, segment.getAtIndex(FLOAT, i) * scale);
        }
        return segment;
    }

    private static void assertSame(String what, MemorySegment actual, double[] expected) {
        double largest = 1;
        for (double number : expected) {
            largest = Math.max(largest, Math.abs(number));
        }
        for (int i = 0; i < expected.length; i++) {
            float got = actual.getAtIndex(FLOAT, i);
            if (!(Math.abs(got - expected[i]) <= TOLERANCE * largest)) {
                throw new AssertionError(what + ": element " + i + " is " + got + ", not " + expected[i]);
            }
        }
    }
}
