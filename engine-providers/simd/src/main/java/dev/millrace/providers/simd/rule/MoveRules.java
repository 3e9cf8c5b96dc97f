package dev.millrace.providers.simd.rule;

import dev.millrace.providers.simd.lower.Rule;
import org.jspecify.annotations.Nullable;

/** Operators that move elements. */
final class MoveRules {
    private MoveRules() {}

    static @Nullable Rule named(String name) {
        return switch (name) {
            case "Concat" -> ConcatRule::lower;
            default -> null;
        };
    }
}
