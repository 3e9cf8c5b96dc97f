package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.search.Draw;
import dev.millrace.providers.search.Scores;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Chooses the tokens of one generation. */
final class Sampler {
    private final float penalty;
    private final @Nullable Draw draw;
    private final SplittableRandom random;

    Sampler(GenerationOptions options) {
        penalty = (float) options.repetitionPenalty();
        draw = options.temperature() == 0 ? null : new Draw(options.temperature(), options.topK(), options.topP());
        Long seed = options.seed();
        random = seed == null ? new SplittableRandom() : new SplittableRandom(seed);
    }

    /**
     * The next token.
     *
     * @param logits of all tokens, which are changed
     * @param before the tokens so far
     */
    int choose(float[] logits, int[] before) {
        check(logits, before.length);
        Scores.penalise(logits, before, penalty);
        return draw == null ? Scores.largest(logits) : draw.word(logits, random.nextDouble());
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
