package dev.millrace.session.generate;

import java.util.List;

/**
 * How likely the model finds a token, before options change its scores.
 *
 * @param logprob the natural logarithm of the token's probability
 * @param best the most likely tokens, the most likely first, as many as were asked for
 */
public record TokenLikelihood(double logprob, List<Alternative> best) {
    public TokenLikelihood {
        best = List.copyOf(best);
    }

    /**
     * A token that could have been chosen.
     *
     * @param logprob the natural logarithm of its probability
     */
    public record Alternative(long id, double logprob) {}
}
