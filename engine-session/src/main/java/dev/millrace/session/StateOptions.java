package dev.millrace.session;

import dev.millrace.graph.EngineException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The limits of the sequences that a stateful session keeps. An immutable snapshot; {@link #builder()} makes one. An evicted
 * sequence refuses further elements with NOT_FOUND, and the next element of its key begins a new sequence.
 *
 * @param maxSequences the maximum number of sequences; one more evicts the sequence that was idle longest
 * @param idle the time that a sequence may be idle, checked whenever a sequence is requested; null for no limit
 */
public record StateOptions(int maxSequences, @Nullable Duration idle) {
    private static final StateOptions DEFAULTS = builder().build();

    public StateOptions {
        if (maxSequences < 1) {
            throw EngineException.invalidArgument("maxSequences is " + maxSequences + "; it is at least 1");
        }
    }

    /** Returns options that keep 10,000 sequences, for any idle time. */
    public static StateOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return builder().maxSequences(maxSequences).idle(idle);
    }

    /** A builder of options of a stateful session. Every option has a default. */
    public static final class Builder {
        private int maxSequences = 10_000;
        private @Nullable Duration idle;

        private Builder() {}

        public Builder maxSequences(int value) {
            maxSequences = value;
            return this;
        }

        public Builder idle(@Nullable Duration value) {
            idle = value;
            return this;
        }

        public StateOptions build() {
            return new StateOptions(maxSequences, idle);
        }
    }
}
