package dev.millrace.kernels.attention;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.code.Platform;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttentionTest {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ScoreRule ADDED = new ScoreRule(AttentionMask.Kind.ADDED, ScoreRule.Cap.NONE, false, false);
    private static final AttentionShape SHAPE = new AttentionShape(1, 2, 1, 3, 5, 4, 4);

    private final Arena arena = Arena.ofShared();
    private final Random random = new Random(3);

    @AfterEach
    void free() {
        arena.close();
    }

    private static Kernels at(String level) {
        return Kernels.open(name -> name.equals(Platform.LEVEL_PROPERTY) ? level : System.getProperty(name));
    }

    private AttentionCall call(AttentionShape shape) {
        GuardedMemory memory = new GuardedMemory(arena);
        int q = shape.heads() * shape.queries() * 4;
        int k = shape.keyHeads() * shape.keys() * 4;
        return AttentionCall.of(
                shape,
                HeadRows.byPlace(memory.random(q, random), shape.heads(), shape.queries(), 4),
                HeadRows.byPlace(memory.random(k, random), shape.keyHeads(), shape.keys(), 4),
                HeadRows.byPlace(memory.random(k, random), shape.keyHeads(), shape.keys(), 4),
                HeadRows.byPlace(memory.random(q, random), shape.heads(), shape.queries(), 4),
                0.5f);
    }

    private float[] run(Kernels kernels, ScoreRule rule, AttentionCall call) {
        Attention attention = new Attention(kernels.set(), rule, FinishRows.Empty.ZEROS);
        attention.run(call, arena.allocate(attention.scratchBytes(call.shape(), 1), 64), Parallel.NONE);
        return call.out().data().toArray(FLOAT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"avx2", "plain"})
    void theLeastFloatInAMaskLeavesEqualWeightsWhereItIsEverywhere(String level) {
        try (Kernels kernels = at(level)) {
            AttentionShape shape = new AttentionShape(1, 1, 1, 1, 300, 4, 4);
            MemorySegment mask = arena.allocate(4 * 300, 4);
            for (int i = 0; i < 300; i++) {
                mask.setAtIndex(FLOAT, i, -Float.MAX_VALUE);
            }
            AttentionCall call = call(shape).with(new AttentionMask(AttentionMask.Kind.ADDED, mask, 0, 0, 0));
            float[] got = run(kernels, ADDED, call);
            double mean = 0;
            for (int i = 0; i < 300; i++) {
                mean += call.values().data().getAtIndex(FLOAT, 4L * i) / 300.0;
            }
            assertEquals(mean, got[0], 1e-6);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"avx2", "plain"})
    void aRowWithoutKeysIsZeroAndNaNStaysInItsRow(String level) {
        try (Kernels kernels = at(level)) {
            MemorySegment mask = arena.allocate(4 * 15, 4);
            for (int i = 0; i < 5; i++) {
                mask.setAtIndex(FLOAT, i, Float.NEGATIVE_INFINITY);
                mask.setAtIndex(FLOAT, 5 + i, i == 2 ? Float.NaN : 0);
            }
            AttentionCall call = call(SHAPE).with(new AttentionMask(AttentionMask.Kind.ADDED, mask, 0, 0, 5));
            float[] got = run(kernels, ADDED, call);
            assertEquals("[0.0, 0.0, 0.0, 0.0]", Arrays.toString(Arrays.copyOf(got, 4)));
            assertTrue(Float.isNaN(got[8]));
            assertTrue(Float.isFinite(got[16]));
        }
    }

    @Test
    void operandsThatDoNotFitAreRefused() {
        try (Kernels kernels = at("avx2")) {
            AttentionCall call = call(SHAPE);
            AttentionShape longer = new AttentionShape(1, 2, 1, 3, 6, 4, 4);
            HeadRows q = call.queries();
            assertRefused(kernels, ScoreRule.PLAIN, call(longer, call), "K needs");
            assertRefused(kernels, ADDED, call, "the mask is NONE");
            assertRefused(kernels, ScoreRule.PLAIN, call.withSlopes(q.data()), "slopes are given");
            assertRefused(kernels, ScoreRule.PLAIN, call.withSinks(q.data()), "sinks are given");
            assertRefused(
                    kernels, ScoreRule.PLAIN, call.with(new VisibleKeys(true, 0, new int[] {6})), "a length is 6");
            assertRefused(
                    kernels,
                    new ScoreRule(AttentionMask.Kind.NONE, ScoreRule.Cap.AFTER_MASK, false, false),
                    call,
                    "cap");
            AttentionCall inPlace = AttentionCall.of(SHAPE, q, call.keys(), call.values(), q, 1);
            assertRefused(kernels, ScoreRule.PLAIN, inPlace, "overlaps Q");
            Attention attention = new Attention(kernels.set(), ScoreRule.PLAIN, FinishRows.Empty.NAN);
            MemorySegment small = arena.allocate(attention.scratchBytes(SHAPE, 1) - 1);
            assertThrows(IndexOutOfBoundsException.class, () -> attention.run(call, small, Parallel.NONE));
        }
    }

    private static AttentionCall call(AttentionShape shape, AttentionCall with) {
        return AttentionCall.of(shape, with.queries(), with.keys(), with.values(), with.out(), 1);
    }

    private void assertRefused(Kernels kernels, ScoreRule rule, AttentionCall call, String reason) {
        RuntimeException refusal = assertThrows(RuntimeException.class, () -> run(kernels, rule, call));
        assertTrue(refusal.toString().contains(reason), refusal.toString());
    }

    @Test
    void wrongKeysAreRefusedByName() {
        try (Kernels kernels = at("plain")) {
            for (String wrong : new String[] {"mask=some", "cap=2", "slopes=7", "sinks=2"}) {
                String text = "attention.maxima:"
                        + ("cap=none,mask=none,sinks=0,slopes=0")
                                .replaceFirst(wrong.substring(0, wrong.indexOf('=')) + "=\\w+", wrong);
                IllegalArgumentException refusal =
                        assertThrows(IllegalArgumentException.class, () -> kernels.describe(KernelKey.parse(text)));
                assertTrue(refusal.toString().contains(wrong.substring(0, wrong.indexOf('='))), refusal.toString());
            }
        }
    }
}
