package dev.millrace.session.generate;

/** A rule that changes the scores of the candidates for the next token. Called by several threads for different texts. */
@FunctionalInterface
public interface LogitsRule {
    /**
     * Changes scores.
     *
     * @param scores those of all tokens, changed in place; minus infinity forbids a token
     * @param tokens the tokens that were generated so far, without the prompt
     */
    void apply(float[] scores, int[] tokens);
}
