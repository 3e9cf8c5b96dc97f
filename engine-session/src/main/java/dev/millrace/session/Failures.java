package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
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

    /** The argument, where there is one. */
    static <T> T given(@Nullable T argument, String name) {
        if (argument == null) {
            throw EngineException.invalidArgument("the argument '" + name + "' is null");
        }
        return argument;
    }

    /** A copy of the arguments, where there are all of them. */
    static <T> List<T> all(@Nullable Collection<? extends @Nullable T> arguments, String name) {
        var all = new ArrayList<T>();
        given(arguments, name).forEach(argument -> all.add(given(argument, name)));
        return List.copyOf(all);
    }

    /** A copy of the arguments, where there are all of them and their names. */
    static <T> Map<String, T> all(
            @Nullable Map<? extends @Nullable String, ? extends @Nullable T> arguments, String name) {
        var all = new LinkedHashMap<String, T>();
        given(arguments, name).forEach((key, argument) -> all.put(given(key, name), given(argument, name)));
        return Map.copyOf(all);
    }
}
