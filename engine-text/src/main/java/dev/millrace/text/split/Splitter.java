package dev.millrace.text.split;

import dev.millrace.text.limit.Budget;
import dev.millrace.text.normal.Aligned;
import java.util.List;

/** Cuts a text into words. */
@FunctionalInterface
public interface Splitter {
    List<Aligned> split(Aligned text, Budget budget);
}
