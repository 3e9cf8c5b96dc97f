package dev.millrace.text;

import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.Token;
import dev.millrace.session.generate.TokenUsage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a streamed answer. The last one has an ending and may have no text.
 *
 * @param text the text that follows the parts before
 * @param usage the numbers of tokens so far
 * @param ending the reason why no part follows, in the last one; else null
 * @param tokens the tokens generated since the part before. The text of the last of them may follow in a later part
 */
public record ChatDelta(
        String text, TokenUsage usage, @Nullable Ending ending, List<Token> tokens) {
    public ChatDelta {
        tokens = List.copyOf(ApiBoundary.requireArgument(tokens, "tokens"));
    }
}
