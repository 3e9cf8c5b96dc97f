package dev.millrace.providers.simd.rule.attention;

import dev.millrace.kernels.attention.Attention;
import dev.millrace.kernels.attention.AttentionMask;
import dev.millrace.kernels.attention.AttentionShape;
import dev.millrace.kernels.attention.FinishRows;
import dev.millrace.kernels.attention.KeyValueCache;
import dev.millrace.kernels.attention.RotaryEmbedding;
import dev.millrace.kernels.attention.ScoreRule;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The step of a GroupQueryAttention: rotates queries, appends rotated keys and values to the caches, and attends.
 *
 * @param rotated memory for the rotated queries, or the queries themselves
 * @param rotatedKeys memory for the rotated keys; null if none are rotated, or the cache has floats
 * @param ofKeys the form of the cache of keys, as {@code ofValues} is that of values
 * @param lastPlaces the last place of each entry of the batch, in 32 bits
 * @param window the number of keys that a query sees, its own included; negative for all before it
 */
record GroupQueryStep(
        AttentionShape shape,
        GroupQueryRotation rotation,
        GroupQueryOperands operands,
        View rotated,
        @Nullable View rotatedKeys,
        GroupQueryFormat ofKeys,
        GroupQueryFormat ofValues,
        View lastPlaces,
        GroupQueryCache cache,
        @Nullable View pastKeys,
        @Nullable View pastValues,
        View keys,
        View values,
        View out,
        float scale,
        float cap,
        int window) {
    private static final long ALIGNMENT = 64;

    /** Whether there are keys that are too far behind a query. */
    boolean hasWindow() {
        return window >= 0 && window < cache.room();
    }

    /** Whether the window becomes a mask. A single query reads the keys from the window's first on instead. */
    boolean masksWindow() {
        return hasWindow() && (shape.queries() > 1 || shape.batch() > 1 || window == 0);
    }

    /** The bytes of the mask of a window, by batch, query and key. */
    long maskBytes() {
        return masksWindow() ? (long) Float.BYTES * shape.batch() * shape.queries() * cache.room() : 0;
    }

    private ScoreRule rule() {
        boolean masked = operands.bias() != null || masksWindow();
        return new ScoreRule(
                masked ? AttentionMask.Kind.ADDED : AttentionMask.Kind.NONE,
                cap > 0 ? ScoreRule.Cap.BEFORE_MASK : ScoreRule.Cap.NONE,
                false,
                operands.sinks() != null);
    }

    ProgramStep of(LoweringContext op) {
        ScoreRule rule = rule();
        Attention attention = op.environment()
                .driver(
                        List.of(Attention.class, rule),
                        () -> new Attention(op.environment().kernels(), rule, FinishRows.Empty.ZEROS));
        CompileEnvironment environment = op.environment();
        RotaryEmbedding turnedQueries =
                rotation.isNone() ? null : rotation.ofEntry(environment, shape.heads(), operands.queries(), rotated);
        View turned = rotatedKeys == null ? keys : rotatedKeys;
        RotaryEmbedding turnedKeys =
                rotation.isNone() ? null : rotation.ofEntry(environment, shape.keyHeads(), operands.keys(), turned);
        var cacheWriter = environment.driver(KeyValueCache.class, () -> new KeyValueCache(environment.kernels()));
        GroupQueryScratch scratch =
                scratch(attention.scratchBytes(shape, op.lowering().width(), isStored()));
        var reads = new ArrayList<>(operands.views());
        reads.addAll(rotation.views());
        reads.add(lastPlaces);
        for (View scales : new View[] {ofKeys.scales(), ofValues.scales()}) {
            if (scales != null) {
                reads.add(scales);
            }
        }
        if (pastKeys != null && pastValues != null) {
            reads.add(pastKeys);
            reads.add(pastValues);
        }
        var writes = new ArrayList<>(List.of(out, keys, values));
        if (!rotation.isNone()) {
            writes.add(rotated);
        }
        if (rotatedKeys != null) {
            writes.add(rotatedKeys);
        }
        long products = (long) shape.batch() * shape.heads() * shape.queries() * shape.keys();
        return ProgramStep.of(() -> "attention of groups " + rule, op.node().name())
                .reading(reads)
                .writing(writes)
                .work(2 * products * shape.depth())
                .scratch(scratch.bytes())
                .calling(memory ->
                        new GroupQueryCall(this, attention, cacheWriter, turnedQueries, turnedKeys, memory, scratch));
    }

    private boolean isStored() {
        return ofKeys.isStored() || ofValues.isStored();
    }

    private GroupQueryScratch scratch(long ofAttention) {
        long angles = up(ofAttention);
        long mask = angles + up(rotation.scratchBytes());
        long keyScales = mask + up(maskBytes());
        long valueScales = keyScales + up(ofKeys.scratchBytes());
        return new GroupQueryScratch(angles, mask, keyScales, valueScales, valueScales + up(ofValues.scratchBytes()));
    }

    private static long up(long bytes) {
        return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
}
