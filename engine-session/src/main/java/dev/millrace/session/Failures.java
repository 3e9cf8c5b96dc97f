package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import org.jspecify.annotations.Nullable;

/** What leaves the engine is an {@link EngineException}, whatever happened inside. */
final class Failures {
    private Failures() {}

    /** The failure itself where it is one of the engine's, else one that says where it happened. */
    static EngineException named(String place, Throwable thrown) {
        return thrown instanceof EngineException known ? known : EngineException.wrap(Status.FAIL, place, thrown);
    }

    /** The argument, where there is one. */
    static <T> T given(@Nullable T argument, String name) {
        if (argument == null) {
            throw EngineException.invalidArgument("the argument '" + name + "' is null");
        }
        return argument;
    }
}
