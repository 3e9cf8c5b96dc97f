package dev.millrace.kernels.rank;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;

/**
 * How sums run, or products.
 *
 * @param exclusive whether an element is not part of its own sum
 * @param reverse whether they run from the end
 */
public record SumRule(Type type, boolean exclusive, boolean reverse) {
    public SumRule {
        if (type == Type.INT_PRODUCT && reverse) {
            throw new IllegalArgumentException("running products start at the start only");
        }
    }

    /** What is summed up or multiplied; ints wrap around. */
    public enum Type {
        FLOAT,
        INT,
        INT_PRODUCT;

        BinaryOp add() {
            return switch (this) {
                case FLOAT -> BinaryOp.ADD;
                case INT -> BinaryOp.INT_ADD;
                case INT_PRODUCT -> BinaryOp.INT_MUL;
            };
        }

        /** What changes nothing. */
        Constant none() {
            return this == INT_PRODUCT ? Constant.ofBits(1) : Constant.ZERO;
        }
    }

    KernelKey addTo(KernelKey key) {
        return key.with("type", type).with("exclusive", exclusive ? 1 : 0).with("reverse", reverse ? 1 : 0);
    }

    static SumRule of(KernelKey key) {
        key.onlyHas("type", "exclusive", "reverse");
        Type type = key.oneOf("type", Type.values());
        boolean reverse = key.number("reverse", 0, type == Type.INT_PRODUCT ? 0 : 1) == 1;
        return new SumRule(type, key.number("exclusive", 0, 1) == 1, reverse);
    }
}
