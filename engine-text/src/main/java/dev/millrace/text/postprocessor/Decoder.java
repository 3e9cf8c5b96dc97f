package dev.millrace.text.postprocessor;

import dev.millrace.text.limit.Budget;
import java.util.List;

/** Makes the texts of tokens into pieces of the text that they stand for. */
@FunctionalInterface
public interface Decoder {
    List<String> apply(List<String> tokens, Budget budget);
}
