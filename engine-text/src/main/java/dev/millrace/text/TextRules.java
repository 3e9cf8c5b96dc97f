package dev.millrace.text;

import dev.millrace.session.generate.LogitsRule;
import dev.millrace.text.speech.TokenScores;
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
            TokenScores.force(scores, first);
        } else if (last != null && tokens.length == most - 1) {
            TokenScores.force(scores, last);
        } else if (tokens.length < least) {
            ends.forEach(end -> TokenScores.forbid(scores, end));
        }
    }
}
