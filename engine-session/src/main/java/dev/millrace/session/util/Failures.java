package dev.millrace.session.util;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns every exception inside the engine into an {@link EngineException}, and checks arguments of public methods. */
public final class Failures {
    private Failures() {}

    /** Returns the exception itself if it is one of the engine's, else one that says where it happened. */
    public static EngineException named(String place, Throwable thrown) {
        return thrown instanceof EngineException known ? known : EngineException.wrap(Status.FAIL, place, thrown);
    }

    /** Returns the failure of a request that its caller cancelled. */
    public static EngineException cancelled() {
        return new EngineException(Status.CANCELLED, "the run was cancelled");
    }

    /** Returns the argument; throws if it is null. */
    public static <T> T requireArgument(@Nullable T argument, String name) {
        if (argument == null) {
            throw EngineException.invalidArgument("the argument '" + name + "' is null");
        }
        return argument;
    }

    /** Returns an unmodifiable copy of the arguments, or the collection itself if it is one; throws if any is null. */
    public static <T> List<T> all(@Nullable Collection<? extends T> arguments, String name) {
        Collection<? extends T> there = requireArgument(arguments, name);
        there.forEach(argument -> requireArgument(argument, name));
        return List.copyOf(there);
    }

    /** Returns the arguments of a variable-arity call; throws if any is null. */
    public static <T> List<T> each(T @Nullable [] arguments, String name) {
        return all(Arrays.asList(requireArgument(arguments, name)), name);
    }

    /**
     * Returns an unmodifiable copy of the arguments, or the map itself if it is one; throws if a key or value is null.
     */
    public static <T> Map<String, T> all(@Nullable Map<String, ? extends T> arguments, String name) {
        Map<String, ? extends T> there = requireArgument(arguments, name);
        there.forEach((key, argument) -> {
            requireArgument(key, name);
            requireArgument(argument, name);
        });
        return Map.copyOf(there);
    }

    /** The failure of a request to a session that is closed. */
    public static EngineException sessionClosed() {
        return new EngineException(Status.CLOSED, "this session is closed");
    }
}
