package dev.millrace.text.vocabulary;

import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import java.util.List;
import java.util.Map;

/** Cuts words into tokens that have numbers. */
public interface Vocabulary {
    /** Adds the tokens of a word. */
    void tokens(Aligned word, List<TextToken> to, Budget budget);

    /** The numbers by the tokens' texts. */
    Map<String, Integer> ids();

    /** The texts of all numbers from 0 on where several numbers may have one text; empty where none do. */
    default List<String> pieces() {
        return List.of();
    }
}
