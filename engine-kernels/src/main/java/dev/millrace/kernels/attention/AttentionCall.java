package dev.millrace.kernels.attention;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The operands of an attention.
 *
 * @param out overlaps no other operand
 * @param scale what scores are multiplied by
 * @param mask of the kind that the rule names
 * @param cap the soft cap, where the rule has one
 * @param slopes a float for each head, given if and only if the rule has them
 * @param sinks a float for each head, given if and only if the rule has them
 */
public record AttentionCall(
        AttentionShape shape,
        HeadRows queries,
        KeyRows keys,
        KeyRows values,
        HeadRows out,
        float scale,
        AttentionMask mask,
        float cap,
        @Nullable MemorySegment slopes,
        @Nullable MemorySegment sinks,
        VisibleKeys visible) {

    /** All keys, without mask, soft cap and slopes. */
    public static AttentionCall of(
            AttentionShape shape, HeadRows queries, KeyRows keys, KeyRows values, HeadRows out, float scale) {
        return new AttentionCall(
                shape, queries, keys, values, out, scale, AttentionMask.NONE, 0, null, null, VisibleKeys.ALL);
    }

    public AttentionCall with(AttentionMask otherMask) {
        return new AttentionCall(shape, queries, keys, values, out, scale, otherMask, cap, slopes, sinks, visible);
    }

    public AttentionCall with(VisibleKeys otherKeys) {
        return new AttentionCall(shape, queries, keys, values, out, scale, mask, cap, slopes, sinks, otherKeys);
    }

    public AttentionCall withCap(float otherCap) {
        return new AttentionCall(shape, queries, keys, values, out, scale, mask, otherCap, slopes, sinks, visible);
    }

    public AttentionCall withSlopes(MemorySegment ofHeads) {
        return new AttentionCall(shape, queries, keys, values, out, scale, mask, cap, ofHeads, sinks, visible);
    }

    public AttentionCall withSinks(@Nullable MemorySegment ofHeads) {
        return new AttentionCall(shape, queries, keys, values, out, scale, mask, cap, slopes, ofHeads, visible);
    }

    /** Whether keys or values are converted before kernels read them. */
    boolean converts() {
        return keys instanceof StoredRows || values instanceof StoredRows;
    }

    void check(ScoreRule rule) {
        queries.check("Q", shape.batch(), shape.heads(), shape.queries(), shape.depth());
        keys.check("K", shape.batch(), shape.keyHeads(), shape.keys(), shape.depth());
        values.check("V", shape.batch(), shape.keyHeads(), shape.keys(), shape.valueDepth());
        out.check("the output", shape.batch(), shape.heads(), shape.queries(), shape.valueDepth());
        CallChecks.writable("the output", out.data());
        CallChecks.apart("the output", out.data(), "Q", queries.data());
        CallChecks.apart("the output", out.data(), "K", keys.data());
        CallChecks.apart("the output", out.data(), "V", values.data());
        if (mask.kind() != rule.mask()) {
            throw new IllegalArgumentException("the mask is " + mask.kind() + ", but the rule has " + rule.mask());
        }
        mask.check(shape);
        visible.check(shape);
        check("slopes", rule.slopes(), slopes);
        check("sinks", rule.sinks(), sinks);
        if (rule.cap() != ScoreRule.Cap.NONE && !(cap > 0)) {
            throw new IllegalArgumentException("the soft cap is " + cap + ", not positive");
        }
    }

    private void check(String what, boolean expected, @Nullable MemorySegment ofHeads) {
        if (expected != (ofHeads != null)) {
            throw new IllegalArgumentException(
                    ofHeads == null
                            ? "the rule has " + what + ", but none are given"
                            : what + " are given, but not used");
        }
        if (ofHeads != null) {
            CallChecks.vector("the " + what, ofHeads, shape.heads());
        }
    }
}
