package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The border of this module: arguments are looked at, and nothing but an {@link EngineException} leaves a call. */
final class ApiBoundary {
    private ApiBoundary() {}

    /** The result of a call. Whatever else it throws follows from a file or a text, not from the caller's code. */
    static <T> T guarded(String place, Supplier<T> call) {
        try {
            return call.get();
        } catch (EngineException e) {
            throw e;
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
            throw EngineException.wrap(Status.FAIL, place, e);
        }
    }

    /** The argument, where there is one. */
    static <T> T requireArgument(@Nullable T argument, String name) {
        if (argument == null) {
            throw EngineException.invalidArgument("the argument '" + name + "' is null");
        }
        return argument;
    }

    /** A copy of the arguments, where there are all of them. */
    static <T> List<T> all(@Nullable List<? extends @Nullable T> arguments, String name) {
        List<? extends @Nullable T> there = requireArgument(arguments, name);
        var copy = new ArrayList<T>(there.size());
        for (T argument : there) {
            if (argument == null) {
                throw EngineException.invalidArgument("the element " + copy.size() + " of '" + name + "' is null");
            }
            copy.add(argument);
        }
        return copy;
    }

    /** The number, where it is none below zero. */
    static int count(int number, String name) {
        if (number < 0) {
            throw EngineException.invalidArgument("the argument '" + name + "' is " + number + "; it is 0 or more");
        }
        return number;
    }
}
