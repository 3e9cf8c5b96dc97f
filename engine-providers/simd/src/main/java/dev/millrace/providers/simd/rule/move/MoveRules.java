package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.op.OpName;
import dev.millrace.providers.simd.lower.Rule;
import org.jspecify.annotations.Nullable;

/** Operators that move elements. */
public final class MoveRules {
    private MoveRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.CONCAT -> ConcatRule::lower;
            default -> null;
        };
    }
}
