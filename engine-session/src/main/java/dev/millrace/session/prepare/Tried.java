package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import org.jspecify.annotations.Nullable;

/** Calls that are all made, though some of them fail. */
final class Tried {
    private @Nullable EngineException first;

    void call(Runnable action) {
        try {
            action.run();
        } catch (EngineException e) {
            if (first == null) {
                first = e;
            } else if (first != e) {
                first.addSuppressed(e);
            }
        }
    }

    /** Throws the first failure, which has the others with it. */
    void rethrow() {
        if (first != null) {
            throw first;
        }
    }
}
