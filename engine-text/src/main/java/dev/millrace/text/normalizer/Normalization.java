package dev.millrace.text.normalizer;

import dev.millrace.text.limit.Budget;

/** Makes a text into what its words are looked for in. */
@FunctionalInterface
public interface Normalization {
    Aligned apply(Aligned text, Budget budget);
}
