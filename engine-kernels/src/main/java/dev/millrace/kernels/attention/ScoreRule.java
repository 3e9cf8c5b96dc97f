package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelKey;

/**
 * What is done to scores before the softmax, in this order: scale, soft cap, mask, bias by distance; or the soft cap
 * last.
 *
 * @param slopes whether each head adds its slope times the distance of key and query
 */
public record ScoreRule(AttentionMask.Kind mask, Cap cap, boolean slopes) {
    /** Where the soft cap, {@code cap tanh(score / cap)}, is done. */
    public enum Cap {
        NONE,
        BEFORE_MASK,
        /** As the first versions of ONNX's operator have it: a masked key then still has some weight. */
        AFTER_MASK
    }

    /** Scores are but scaled. */
    public static final ScoreRule PLAIN = new ScoreRule(AttentionMask.Kind.NONE, Cap.NONE, false);

    boolean isPlain() {
        return mask == AttentionMask.Kind.NONE && cap == Cap.NONE && !slopes;
    }

    KernelKey addTo(KernelKey key) {
        return key.with("mask", mask).with("cap", cap).with("slopes", slopes ? 1 : 0);
    }

    static ScoreRule of(KernelKey key) {
        key.onlyHas("mask", "cap", "slopes");
        return new ScoreRule(
                key.oneOf("mask", AttentionMask.Kind.values()),
                key.oneOf("cap", Cap.values()),
                key.number("slopes", 0, 1) == 1);
    }
}
