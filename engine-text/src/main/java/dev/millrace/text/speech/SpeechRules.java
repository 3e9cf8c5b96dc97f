package dev.millrace.text.speech;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.LogitsRule;
import java.util.Arrays;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The rules for the tokens of Whisper. A text may begin with tokens that follow from the request: the language if it is not
 * known, the task, and the token for no timestamps. Timestamps stand in pairs, except at the beginning and before the end, and
 * do not decrease.
 *
 * @param tokens the special tokens
 * @param preamble the tokens that begin a text, in which {@link #ANY_LANGUAGE} is the most likely language
 * @param timestamps whether the text has timestamps
 */
public record SpeechRules(SpeechTokens tokens, int[] preamble, boolean timestamps) implements LogitsRule {
    /** The place of a language that the model chooses. */
    public static final int ANY_LANGUAGE = -1;

    @Override
    public void apply(float[] scores, int[] said) {
        if (scores.length <= tokens.firstTimestamp()) {
            throw EngineException.invalidArgument("the model knows " + scores.length
                    + " tokens, and its timestamps begin with token " + tokens.firstTimestamp());
        }
        int length = said.length - preamble.length;
        if (length < 0) {
            int wanted = preamble[said.length];
            TokenScores.force(
                    scores,
                    wanted == ANY_LANGUAGE
                            ? likeliest(scores, tokens.languages().values())
                            : wanted);
            return;
        }
        forbid(scores, tokens.suppressed());
        if (length == 0) {
            forbid(scores, tokens.suppressedFirst());
        }
        if (timestamps) {
            applyTimestamps(scores, Arrays.copyOfRange(said, preamble.length, said.length));
        }
    }

    private static int likeliest(float[] scores, Collection<Integer> candidates) {
        int best = candidates.iterator().next();
        for (int candidate : candidates) {
            best = scores[candidate] > scores[best] ? candidate : best;
        }
        return best;
    }

    private static void forbid(float[] scores, int[] all) {
        for (int token : all) {
            TokenScores.forbid(scores, token);
        }
    }

    private static void forbid(float[] scores, int from, int to) {
        if (from < to) {
            Arrays.fill(scores, from, Math.min(to, scores.length), Float.NEGATIVE_INFINITY);
        }
    }

    private void applyTimestamps(float[] scores, int[] said) {
        int first = tokens.firstTimestamp();
        int length = said.length;
        scores[tokens.noTimestamps()] = Float.NEGATIVE_INFINITY;
        boolean isAfterOne = length > 0 && said[length - 1] >= first;
        boolean isAfterPair = isAfterOne && (length < 2 || said[length - 2] >= first);
        if (isAfterPair) {
            forbid(scores, first, scores.length);
        } else if (isAfterOne) {
            forbid(scores, 0, tokens.end());
        }
        Integer last = last(said, first);
        if (last != null) {
            // a text that has begun does not end at once
            forbid(scores, first, isAfterOne && !isAfterPair ? last : last + 1);
        }
        if (length == 0) {
            forbid(scores, 0, first);
            if (tokens.mostInitial() >= 0) {
                forbid(scores, first + tokens.mostInitial() + 1, scores.length);
            }
        }
        if (logSum(scores, first) > most(scores, first)) {
            forbid(scores, 0, first);
        }
    }

    private static @Nullable Integer last(int[] said, int first) {
        for (int i = said.length - 1; i >= 0; i--) {
            if (said[i] >= first) {
                return said[i];
            }
        }
        return null;
    }

    /** Returns the logarithm of the sum of the shares of all timestamps. */
    private static double logSum(float[] scores, int from) {
        double most = Double.NEGATIVE_INFINITY;
        for (int i = from; i < scores.length; i++) {
            most = Math.max(most, scores[i]);
        }
        if (most == Double.NEGATIVE_INFINITY) {
            return most;
        }
        double sum = 0;
        for (int i = from; i < scores.length; i++) {
            sum += Math.exp(scores[i] - most);
        }
        return most + Math.log(sum);
    }

    private static double most(float[] scores, int to) {
        double most = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < to; i++) {
            most = Math.max(most, scores[i]);
        }
        return most;
    }
}
