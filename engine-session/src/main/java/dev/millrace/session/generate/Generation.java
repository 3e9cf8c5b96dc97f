package dev.millrace.session.generate;

import java.util.List;

/**
 * What a model has said.
 *
 * @param tokens at least one; where a stop token was its end, that is the last one
 */
public record Generation(List<Token> tokens, Ending ending) {
    public Generation {
        tokens = List.copyOf(tokens);
    }

    /** The numbers of the tokens. */
    public long[] ids() {
        return tokens.stream().mapToLong(Token::id).toArray();
    }
}
