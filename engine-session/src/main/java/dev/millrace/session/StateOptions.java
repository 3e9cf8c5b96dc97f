package dev.millrace.session;

import dev.millrace.graph.EngineException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long sequences are remembered. One that is given up refuses further elements with NOT_FOUND; its key begins anew.
 *
 * @param maxSequences how many; for one more, that which rests longest is given up
 * @param idle how long a sequence may rest; looked at whenever one is asked for. Null for as long as it likes
 */
public record StateOptions(int maxSequences, @Nullable Duration idle) {
    public StateOptions {
        if (maxSequences < 1) {
            throw EngineException.invalidArgument("maxSequences is " + maxSequences + "; it is at least 1");
        }
    }

    /** 10,000 sequences, however long they rest. */
    public static StateOptions defaults() {
        return new StateOptions(10_000, null);
    }
}
