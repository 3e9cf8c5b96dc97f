package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What leaves the engine is an {@link EngineException}, whatever happened inside. */
final class Failures {
    private Failures() {}

    /** The failure itself where it is one of the engine's, else one that says where it happened. */
    static EngineException named(String place, Throwable thrown) {
        return thrown instanceof EngineException known ? known : EngineException.wrap(Status.FAIL, place, thrown);
    }

    /** The end of a request that its caller took back. */
    static EngineException cancelled() {
        return new EngineException(Status.CANCELLED, "the run was cancelled");
    }

    /** The argument, where there is one. */
    static <T> T given(@Nullable T argument, String name) {
        if (argument == null) {
            throw EngineException.invalidArgument("the argument '" + name + "' is null");
        }
        return argument;
    }

    /** A copy of the arguments, where there are all of them; the same list where nobody can change it. */
    static <T> List<T> all(@Nullable Collection<? extends T> arguments, String name) {
        Collection<? extends T> there = given(arguments, name);
        there.forEach(argument -> given(argument, name));
        return List.copyOf(there);
    }

    /** The arguments of a call that takes any number, where there are all of them. */
    static <T> List<T> each(T @Nullable [] arguments, String name) {
        return all(Arrays.asList(given(arguments, name)), name);
    }

    /** A copy of the arguments, where there are all of them and their names; the same map where nobody can change it. */
    static <T> Map<String, T> all(@Nullable Map<String, ? extends T> arguments, String name) {
        Map<String, ? extends T> there = given(arguments, name);
        there.forEach((key, argument) -> {
            given(key, name);
            given(argument, name);
        });
        return Map.copyOf(there);
    }
}
