package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.search.Likeliest;
import dev.millrace.providers.search.Scores;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Chooses the tokens of one generation. */
final class Sampler {
    private final GenerationOptions options;
    private final @Nullable WordDraw draw;
    private final SplittableRandom random;
    private TokenConstraint.@Nullable State constraint;
    private final @Nullable LogitsRule rule;

    /**
     * A chosen token.
     *
     * @param isLast whether the constraint allows no token behind it
     */
    record Choice(int id, @Nullable TokenLikelihood likelihood, boolean isLast) {}

    Sampler(GenerationOptions options) {
        this(options, null);
    }

    /** @param rule changes scores after the options did; null for none */
    Sampler(GenerationOptions options, @Nullable LogitsRule rule) {
        this.options = options;
        this.rule = rule;
        draw = options.temperature() == 0 ? null : WordDraw.of(options);
        Long seed = options.seed();
        random = seed == null ? new SplittableRandom() : new SplittableRandom(seed);
    }

    /**
     * Chooses the next token.
     *
     * @param logits of all tokens, which are changed
     * @param before the tokens so far
     * @param prompt the number of those that are the prompt
     */
    Choice choose(float[] logits, int[] before, int prompt) {
        check(logits, before.length);
        Integer reported = options.logprobs();
        float[] shares = reported == null ? null : logits.clone();
        change(logits, before, prompt);
        int best = Scores.largest(logits);
        if (best < 0) {
            throw EngineException.invalidArgument(
                    "behind " + before.length + " tokens the options allow none of the " + logits.length + " tokens");
        }
        int id = draw == null ? best : draw.word(logits, random.nextDouble());
        return new Choice(id, shares == null || reported == null ? null : likelihood(shares, id, reported), isLast(id));
    }

    /** Replaces the logits behind tokens by log probabilities, which the options change then, as for a beam. */
    float[] logShares(float[] logits, int[] before, int prompt) {
        check(logits, before.length);
        Scores.logShares(logits);
        change(logits, before, prompt);
        return logits;
    }

    private void change(float[] logits, int[] before, int prompt) {
        options.logitBias().forEach((id, bias) -> {
            if (id >= 0 && id < logits.length) {
                logits[id.intValue()] += bias.floatValue();
            }
        });
        constrain(logits, before, prompt);
        Scores.penalise(logits, before, (float) options.repetitionPenalty());
        if (options.frequencyPenalty() != 0 || options.presencePenalty() != 0) {
            int[] answer = Arrays.copyOfRange(before, prompt, before.length);
            Scores.lower(logits, answer, (float) options.frequencyPenalty(), (float) options.presencePenalty());
        }
        Scores.forbidPhrases(logits, before, options.noRepeatNgram());
        if (rule != null) {
            rule.apply(logits, Arrays.copyOfRange(before, prompt, before.length));
        }
    }

    /** Forbids the tokens that the constraint does not allow. */
    private void constrain(float[] logits, int[] before, int prompt) {
        TokenConstraint.State state = state(before, prompt);
        BitSet allowed = state == null ? null : state.allowed();
        if (state == null || allowed == null) {
            return;
        }
        BitSet open = (BitSet) allowed.clone();
        boolean mayEnd = state.mayEnd();
        options.stopTokens().stream()
                .filter(id -> id >= 0 && id < logits.length)
                .forEach(id -> open.set(id.intValue(), mayEnd));
        for (int from = open.nextClearBit(0); from < logits.length; ) {
            int to = open.nextSetBit(from);
            int end = to < 0 ? logits.length : Math.min(to, logits.length);
            Arrays.fill(logits, from, end, Float.NEGATIVE_INFINITY);
            from = open.nextClearBit(end);
        }
        if (Scores.largest(logits) < 0) {
            throw EngineException.invalidArgument("behind " + before.length + " tokens, the " + (before.length - prompt)
                    + " of the answer included, the constraint allows none of the " + logits.length
                    + " tokens that the model may say");
        }
    }

    private TokenConstraint.@Nullable State state(int[] before, int prompt) {
        TokenConstraint asked = options.constraint();
        if (constraint == null && asked != null) {
            constraint =
                    asked.begin(Arrays.stream(before, 0, prompt).asLongStream().toArray());
        }
        return constraint;
    }

    /** Tells the constraint the chosen token, and returns whether it allows none behind it. */
    private boolean isLast(int id) {
        if (constraint == null || options.stopTokens().contains((long) id)) {
            return false;
        }
        constraint.accept(id);
        BitSet allowed = constraint.allowed();
        return allowed != null && allowed.isEmpty() && constraint.mayEnd();
    }

    /** @param scores logits, which become log probabilities */
    static TokenLikelihood likelihood(float[] scores, int id, int count) {
        Scores.logShares(scores);
        var likeliest = new Likeliest(count);
        for (int i = 0; count > 0 && i < scores.length; i++) {
            likeliest.add(scores[i], 0, i);
        }
        List<TokenLikelihood.Alternative> best = new ArrayList<>();
        for (int i = 0; i < likeliest.count(); i++) {
            best.add(new TokenLikelihood.Alternative(likeliest.word(i), likeliest.score(i)));
        }
        return new TokenLikelihood(scores[id], best);
    }

    private static void check(float[] logits, int place) {
        boolean hasOne = false;
        for (int i = 0; i < logits.length; i++) {
            if (Float.isNaN(logits[i]) || logits[i] == Float.POSITIVE_INFINITY) {
                throw unusable(place, logits[i] + " for token " + i + " of " + logits.length);
            }
            hasOne |= logits[i] != Float.NEGATIVE_INFINITY;
        }
        if (!hasOne) {
            throw unusable(place, "no token that could follow, of " + logits.length);
        }
    }

    private static EngineException unusable(int place, String what) {
        return new EngineException(
                Status.FAIL,
                "behind " + place + " tokens the logits have " + what + ": the model computes what is no number here");
    }
}
