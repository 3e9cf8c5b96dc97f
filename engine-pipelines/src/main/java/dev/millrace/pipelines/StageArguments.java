package dev.millrace.pipelines;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks of arguments, for the stages of this module. */
public final class StageArguments {
    private StageArguments() {}

    /** Returns an argument; throws if it is null. */
    public static <T> T require(@Nullable T argument, String name) {
        if (argument == null) {
            throw EngineException.invalidArgument("the argument '" + name + "' is null");
        }
        return argument;
    }

    /** Returns a copy of a list; throws if it or an element is null. */
    public static <T> List<T> all(@Nullable List<? extends @Nullable T> arguments, String name) {
        var copy = new ArrayList<T>();
        for (T argument : require(arguments, name)) {
            copy.add(require(argument, name + "[" + copy.size() + "]"));
        }
        return List.copyOf(copy);
    }

    /** Returns a number; throws if it is not above zero. */
    public static int positive(int number, String name) {
        if (number < 1) {
            throw EngineException.invalidArgument("the argument '" + name + "' is " + number + "; it is 1 or more");
        }
        return number;
    }
}
