package dev.millrace.kernels.rank;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.BinaryOp;

/**
 * How sums run.
 *
 * @param exclusive whether an element is not part of its own sum
 * @param reverse whether they run from the end
 */
public record SumRule(Type type, boolean exclusive, boolean reverse) {
    /** What is summed up; ints wrap around. */
    public enum Type {
        FLOAT,
        INT;

        BinaryOp add() {
            return this == FLOAT ? BinaryOp.ADD : BinaryOp.INT_ADD;
        }
    }

    KernelKey addTo(KernelKey key) {
        return key.with("type", type).with("exclusive", exclusive ? 1 : 0).with("reverse", reverse ? 1 : 0);
    }

    static SumRule of(KernelKey key) {
        key.onlyHas("type", "exclusive", "reverse");
        return new SumRule(
                key.oneOf("type", Type.values()), key.number("exclusive", 0, 1) == 1, key.number("reverse", 0, 1) == 1);
    }
}
