package dev.millrace.session.generate;

import java.util.List;

/**
 * The tokens that a model has generated.
 *
 * @param tokens the tokens, at least one; a stop token that ended the generation is the last one
 */
public record Generation(List<Token> tokens, Ending ending) {
    public Generation {
        tokens = List.copyOf(tokens);
    }

    /** The ids of the tokens. */
    public long[] ids() {
        return tokens.stream().mapToLong(Token::id).toArray();
    }
}
