package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.codegen.program.WideOp;

/**
 * The rule of running sums or products.
 *
 * @param exclusive whether an element is excluded from its own sum
 * @param reverse whether sums run from the end
 */
public record SumRule(Type type, boolean exclusive, boolean reverse) {
    public SumRule {
        if (type == Type.INT_PRODUCT && reverse) {
            throw new IllegalArgumentException("running products start at the start only");
        }
        if (type == Type.DOUBLE_PRODUCT && exclusive) {
            throw new IllegalArgumentException("running products of doubles have each element in its own");
        }
    }

    /** The element type and the operation; ints wrap around. */
    public enum Type {
        FLOAT,
        INT,
        INT_PRODUCT,
        /** Sums of longs; down columns only, like the next two. */
        LONG,
        DOUBLE,
        DOUBLE_PRODUCT;

        static final Type[] NARROW = {FLOAT, INT, INT_PRODUCT};

        /** Whether elements have 64 bits. */
        public boolean isWide() {
            return compareTo(LONG) >= 0;
        }

        int words() {
            return isWide() ? 2 : 1;
        }

        VectorVar plus(ProgramBuilder builder, VectorVar a, VectorVar b) {
            return switch (this) {
                case FLOAT -> builder.binary(BinaryOp.ADD, a, b);
                case INT -> builder.binary(BinaryOp.INT_ADD, a, b);
                case INT_PRODUCT -> builder.binary(BinaryOp.INT_MUL, a, b);
                case LONG -> builder.wide(WideOp.INT_ADD, a, b);
                case DOUBLE -> builder.wide(WideOp.ADD, a, b);
                case DOUBLE_PRODUCT -> builder.wide(WideOp.MUL, a, b);
            };
        }

        /** The neutral element of the operation. */
        Constant none() {
            return this == INT_PRODUCT ? Constant.ofBits(1) : Constant.ZERO;
        }
    }

    KernelKey addTo(KernelKey key) {
        return key.with("type", type).with("exclusive", exclusive ? 1 : 0).with("reverse", reverse ? 1 : 0);
    }

    static SumRule of(KernelKey key) {
        key.onlyHas("type", "exclusive", "reverse");
        Type type = key.oneOf("type", Type.NARROW);
        boolean reverse = key.number("reverse", 0, type == Type.INT_PRODUCT ? 0 : 1) == 1;
        return new SumRule(type, key.number("exclusive", 0, 1) == 1, reverse);
    }
}
