package dev.millrace.text.speech;

import dev.millrace.graph.EngineException;
import java.util.Arrays;

/** Changes of the scores of tokens that rules make. */
public final class TokenScores {
    private TokenScores() {}

    /** Forbids all tokens but one, whose log probability becomes 0. */
    public static void force(float[] scores, int token) {
        if (token >= scores.length) {
            throw EngineException.invalidArgument(
                    "token " + token + " is forced, and the model knows " + scores.length);
        }
        Arrays.fill(scores, Float.NEGATIVE_INFINITY);
        scores[token] = 0;
    }

    /** Forbids a token; one that the model does not know needs no change. */
    public static void forbid(float[] scores, long token) {
        if (token >= 0 && token < scores.length) {
            scores[(int) token] = Float.NEGATIVE_INFINITY;
        }
    }
}
