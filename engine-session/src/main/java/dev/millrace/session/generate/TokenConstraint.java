package dev.millrace.session.generate;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * A rule that says which tokens may follow in an answer. It never changes, and any number of generations use it at a time;
 * each has a {@link State} of its own.
 */
public interface TokenConstraint {
    /** Returns the state of a generation before its first token. It is called once for each generation. */
    State begin(long[] prompt);

    /** The state of one generation, which one thread at a time uses. */
    interface State {
        /**
         * Returns the tokens that may follow, by their ids; null if each token may. The caller does not change it. Stop
         * tokens are not in it: {@link #mayEnd} decides about them. If it is empty and the answer may end, the answer is
         * complete.
         */
        @Nullable
        BitSet allowed();

        /** Whether the answer may end here. */
        boolean mayEnd();

        /** Moves on behind a token, which is one of the allowed ones and no stop token. */
        void accept(long token);
    }
}
