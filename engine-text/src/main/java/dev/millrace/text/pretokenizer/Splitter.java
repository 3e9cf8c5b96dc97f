package dev.millrace.text.pretokenizer;

import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import java.util.List;

/** Cuts a text into words. */
@FunctionalInterface
public interface Splitter {
    List<Aligned> split(Aligned text, Budget budget);
}
