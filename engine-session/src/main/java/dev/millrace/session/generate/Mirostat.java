package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;

/**
 * Draws tokens so that their surprise stays near a target (Basu et al., "Mirostat", 2021, version 2): the more surprising the
 * drawn tokens were, the fewer tokens are drawn from.
 *
 * @param target the surprise of a token in bits, which is the negative logarithm of its probability
 * @param rate how fast the number of tokens follows the surprise, above 0 and up to 1
 */
public record Mirostat(double target, double rate) {
    public Mirostat {
        if (!(target > 0) || target == Double.POSITIVE_INFINITY) {
            throw EngineException.invalidArgument("the target of mirostat is " + target + "; it is a positive number");
        }
        if (!(rate > 0 && rate <= 1)) {
            throw EngineException.invalidArgument("the rate of mirostat is " + rate + "; it is above 0 and up to 1");
        }
    }
}
