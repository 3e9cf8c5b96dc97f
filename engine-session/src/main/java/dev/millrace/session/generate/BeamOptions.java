package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.session.util.Failures;

/**
 * The options of a beam search. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param beams the number of texts that are followed at a time
 * @param returned the number of best texts that are returned
 * @param lengthPenalty the power of a text's length by which the sum of its log probabilities is divided: above 0, longer
 *     texts get better scores
 * @param stopping the moment at which a search ends
 */
public record BeamOptions(int beams, int returned, double lengthPenalty, Stopping stopping) {
    /** The largest number of beams. */
    private static final int MOST_BEAMS = 1024;

    private static final BeamOptions DEFAULTS = builder().build();

    /** The moment at which a search ends, once as many texts have ended as there are beams. */
    public enum Stopping {
        /** At once. */
        AT_FIRST,
        /** The best text that goes on would not be better than the worst of those that ended, if it ended now. */
        WHEN_UNLIKELY,
        /** No text that goes on can become better than the worst of those that ended. */
        WHEN_IMPOSSIBLE
    }

    public BeamOptions {
        Failures.requireArgument(stopping, "stopping");
        if (beams < 1 || beams > MOST_BEAMS) {
            throw EngineException.invalidArgument("beams is " + beams + "; it is from 1 to " + MOST_BEAMS);
        }
        if (returned < 1 || returned > beams) {
            throw EngineException.invalidArgument(
                    "returned is " + returned + "; it is from 1 to the number of beams, " + beams);
        }
        if (!Double.isFinite(lengthPenalty)) {
            throw EngineException.invalidArgument("lengthPenalty is " + lengthPenalty + "; it is a finite number");
        }
    }

    /** Returns options that follow 4 texts and return the best one, by the mean of its log probabilities. */
    public static BeamOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return builder()
                .beams(beams)
                .returned(returned)
                .lengthPenalty(lengthPenalty)
                .stopping(stopping);
    }

    /** A builder of options of a beam search. Every option has a default. */
    public static final class Builder {
        private int beams = 4;
        private int returned = 1;
        private double lengthPenalty = 1;
        private Stopping stopping = Stopping.WHEN_UNLIKELY;

        private Builder() {}

        public Builder beams(int value) {
            beams = value;
            return this;
        }

        public Builder returned(int value) {
            returned = value;
            return this;
        }

        public Builder lengthPenalty(double value) {
            lengthPenalty = value;
            return this;
        }

        public Builder stopping(Stopping value) {
            stopping = value;
            return this;
        }

        public BeamOptions build() {
            return new BeamOptions(beams, returned, lengthPenalty, stopping);
        }
    }
}
