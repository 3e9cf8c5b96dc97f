package dev.millrace.graph.infer;

import org.jspecify.annotations.Nullable;

/** Facts that also know integers which are extents, such as the content of a Shape's output. */
interface SymbolicFacts extends Facts {
    @Nullable
    KnownContent content(int input);

    /** Whether nodes are held against their operators' schemas. */
    boolean checksTypes();
}
