package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.LogitsRule;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that a text must begin and end with, and its shortest length. A forced token has the log probability 0.
 *
 * @param first the first token; null for any
 * @param last the last token of a text that has as many tokens as it may; null for any
 * @param most the number of tokens that a text may have
 * @param least the number of tokens before which a text does not end
 * @param ends the tokens that end a text
 */
record TextRules(@Nullable Integer first, @Nullable Integer last, int most, int least, Set<Long> ends)
        implements LogitsRule {
    @Override
    public void apply(float[] scores, int[] tokens) {
        if (first != null && tokens.length == 0) {
            force(scores, first);
        } else if (last != null && tokens.length == most - 1) {
            force(scores, last);
        } else if (tokens.length < least) {
            ends.forEach(end -> forbid(scores, end));
        }
    }

    /** Leaves one token alone. */
    static void force(float[] scores, int token) {
        if (token >= scores.length) {
            throw EngineException.invalidArgument(
                    "token " + token + " is forced, and the model knows " + scores.length);
        }
        Arrays.fill(scores, Float.NEGATIVE_INFINITY);
        scores[token] = 0;
    }

    static void forbid(float[] scores, long token) {
        if (token < scores.length) {
            scores[(int) token] = Float.NEGATIVE_INFINITY;
        }
    }
}
