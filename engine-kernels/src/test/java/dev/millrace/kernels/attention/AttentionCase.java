package dev.millrace.kernels.attention;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Attention of any shape, layout and rule. */
public final class AttentionCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final double TOLERANCE = 5e-6;

    @Override
    public String name() {
        return "attention";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        AttentionShape shape = shape(random, small);
        ScoreRule rule = new ScoreRule(
                any(random, AttentionMask.Kind.values()),
                any(random, ScoreRule.Cap.values()),
                random.nextInt(4) == 0,
                random.nextInt(3) == 0);
        FinishRows.Empty empty = any(random, FinishRows.Empty.values());
        AttentionCall call = AttentionCall.of(
                        shape,
                        RandomRows.floats(memory, random, shape.batch(), shape.heads(), shape.queries(), shape.depth()),
                        RandomRows.any(memory, random, shape.batch(), shape.keyHeads(), shape.keys(), shape.depth()),
                        RandomRows.any(
                                memory, random, shape.batch(), shape.keyHeads(), shape.keys(), shape.valueDepth()),
                        RandomRows.floats(
                                memory, random, shape.batch(), shape.heads(), shape.queries(), shape.valueDepth()),
                        random.nextFloat() * 2 - 0.3f)
                .with(mask(rule.mask(), memory, random, shape))
                .with(visible(random, shape))
                .withCap(rule.cap() == ScoreRule.Cap.NONE ? 0 : 0.2f + random.nextFloat());
        if (rule.slopes()) {
            call = call.withSlopes(memory.random(shape.heads(), random));
        }
        if (rule.sinks()) {
            call = call.withSinks(memory.random(shape.heads(), random));
        }
        Attention attention = new Attention(kernels, rule, empty);
        int threads = 1 + random.nextInt(3);
        MemorySegment scratch = memory.floats(attention.scratchBytes(shape, threads, call.converts()) / 4);
        String text =
                shape + " " + types(call) + " " + rule + " " + empty + " " + call.visible() + " scale " + call.scale();
        AttentionCall made = call;
        Rehearsal.run(kernels, random, () -> attention.run(made, scratch, TestThreads.of(threads)));
        compare(call, new AttentionReference(call, rule, empty), text);
    }

    private static String types(AttentionCall call) {
        return (call.keys() instanceof StoredRows keys ? keys.type() : "floats") + " "
                + (call.values() instanceof StoredRows values ? values.type() : "floats");
    }

    private static <E> E any(Random random, E[] values) {
        return values[random.nextInt(values.length)];
    }

    private static AttentionShape shape(Random random, boolean small) {
        int most = small ? 20 : random.nextInt(8) == 0 ? 400 : 60;
        int keyHeads = 1 + random.nextInt(2);
        int group = random.nextInt(3) == 0 ? 1 + random.nextInt(random.nextInt(4) == 0 ? 10 : 3) : 1;
        return new AttentionShape(
                1 + random.nextInt(2),
                keyHeads * group,
                keyHeads,
                random.nextInt(3) == 0 ? 1 + random.nextInt(3) : 1 + random.nextInt(most),
                1 + random.nextInt(most),
                1 + random.nextInt(small ? 20 : 80),
                1 + random.nextInt(small ? 20 : 80));
    }

    private static AttentionMask mask(
            AttentionMask.Kind kind, GuardedMemory memory, Random random, AttentionShape shape) {
        if (kind == AttentionMask.Kind.NONE) {
            return AttentionMask.NONE;
        }
        long queryStride = random.nextInt(3) == 0 ? 0 : shape.keys();
        long headStride = random.nextBoolean() ? 0 : Math.max(1, shape.queries()) * (long) shape.keys();
        long batchStride = random.nextBoolean() ? 0 : headStride * shape.heads();
        long count = (shape.batch() - 1) * batchStride
                + (shape.heads() - 1) * headStride
                + (shape.queries() - 1) * queryStride
                + shape.keys();
        if (kind == AttentionMask.Kind.CHOSEN) {
            MemorySegment bytes = memory.randomBytes(count, random);
            for (long i = 0; i < count; i++) {
                if (random.nextInt(3) == 0) {
                    bytes.set(ValueLayout.JAVA_BYTE, i, (byte) 0);
                }
            }
            return new AttentionMask(kind, bytes, batchStride, headStride, queryStride);
        }
        MemorySegment floats = memory.random(count, random);
        for (long i = 0; i < count; i++) {
            if (random.nextInt(3) == 0) {
                floats.setAtIndex(FLOAT, i, Float.NEGATIVE_INFINITY);
            }
        }
        return new AttentionMask(kind, floats, batchStride, headStride, queryStride);
    }

    private static VisibleKeys visible(Random random, AttentionShape shape) {
        int[] lengths = null;
        if (random.nextInt(3) == 0) {
            lengths = random.ints(shape.batch(), 0, shape.keys() + 1).toArray();
        }
        return new VisibleKeys(random.nextBoolean(), random.nextInt(6) - 2, lengths);
    }

    private static void compare(AttentionCall call, AttentionReference reference, String text) {
        AttentionShape shape = call.shape();
        for (int batch = 0; batch < shape.batch(); batch++) {
            for (int head = 0; head < shape.heads(); head++) {
                for (int query = 0; query < shape.queries(); query++) {
                    double[] expected = reference.row(batch, head, query);
                    for (int i = 0; i < expected.length; i++) {
                        float got = AttentionReference.at(call.out(), batch, head, query, i);
                        boolean right =
                                Double.isNaN(expected[i]) ? Float.isNaN(got) : Math.abs(got - expected[i]) <= TOLERANCE;
                        if (!right) {
                            throw new AssertionError(text + ": batch " + batch + " head " + head + " query " + query
                                    + " element " + i + " is " + got + ", not " + expected[i]);
                        }
                    }
                }
            }
        }
    }
}
