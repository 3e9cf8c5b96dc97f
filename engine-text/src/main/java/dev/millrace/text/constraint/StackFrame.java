package dev.millrace.text.constraint;

import org.jspecify.annotations.Nullable;

/**
 * A call that is open.
 *
 * @param id a number of its own among equal matchers
 * @param node the node behind the call
 * @param below the call around it; null for none
 */
record StackFrame(int id, int node, @Nullable StackFrame below, int depth) {
    static int depth(@Nullable StackFrame frame) {
        return frame == null ? 0 : frame.depth;
    }

    static int id(@Nullable StackFrame frame) {
        return frame == null ? 0 : frame.id;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return id;
    }
}
