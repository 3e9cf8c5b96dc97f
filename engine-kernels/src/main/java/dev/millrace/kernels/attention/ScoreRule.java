package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelKey;

/**
 * The transformation of scores before the softmax, in this order: scale, soft cap, mask, bias by distance (ALiBi); or
 * with the soft cap last.
 *
 * @param slopes whether each head adds its slope times the distance of key and query
 * @param sinks whether each head has a further score, a sink, whose share of the weights is dropped
 */
public record ScoreRule(AttentionMask.Kind mask, Cap cap, boolean slopes, boolean sinks) {
    /** The position of the soft cap, {@code cap tanh(score / cap)}. */
    public enum Cap {
        NONE,
        BEFORE_MASK,
        /**
         * After the mask, which is the rule of the first versions of ONNX's operator: a masked key then still has some
         * weight.
         */
        AFTER_MASK
    }

    /** The rule that only scales. */
    public static final ScoreRule PLAIN = new ScoreRule(AttentionMask.Kind.NONE, Cap.NONE, false, false);

    /** Whether nothing but the scale is done to scores. */
    boolean isPlain() {
        return mask == AttentionMask.Kind.NONE && cap == Cap.NONE && !slopes;
    }

    KernelKey addTo(KernelKey key) {
        return key.with("mask", mask)
                .with("cap", cap)
                .with("slopes", slopes ? 1 : 0)
                .with("sinks", sinks ? 1 : 0);
    }

    static ScoreRule of(KernelKey key) {
        key.onlyHas("mask", "cap", "slopes", "sinks");
        return new ScoreRule(
                key.oneOf("mask", AttentionMask.Kind.values()),
                key.oneOf("cap", Cap.values()),
                key.number("slopes", 0, 1) == 1,
                key.number("sinks", 0, 1) == 1);
    }
}
