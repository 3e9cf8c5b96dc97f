package samples;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;

/** Stack traces through what is replaced. */
final class Traces {
    record Failing(Object inside) {}

    private Traces() {}

    /** Returns the methods and lines of this package's sources in the trace of what a function throws. */
    private static List<String> trace(Supplier<?> failing) {
        try {
            failing.get();
            throw new AssertionError("nothing fails");
        } catch (IllegalStateException | ArithmeticException e) {
            var lines = new ArrayList<String>();
            for (StackTraceElement each : e.getStackTrace()) {
                if (each.getClassName().startsWith("samples.") && each.getLineNumber() > 0) {
                    lines.add(each.getFileName() + " " + each.getMethodName() + ":" + each.getLineNumber());
                }
            }
            return lines;
        }
    }

    static Object lambdas() {
        int divisor = 0;
        return trace(() -> {
            Function<Integer, Integer> divide = number -> {
                int sum = number + 1;
                return sum / divisor;
            };
            return divide.apply(3);
        });
    }

    static Object references() {
        Function<Object, Object> fails = Traces::fail;
        return trace(() -> fails.apply("x"));
    }

    private static Object fail(Object given) {
        throw new IllegalStateException(Objects.toString(given));
    }

    static Object records() {
        Object bad = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("no text");
            }
        };
        return trace(() -> "" + new Failing(bad));
    }

    static Object switches() {
        Object selector = 3;
        return trace(() -> switch (selector) {
            case String _ -> "text";
            case Integer i when i / (i - 3) > 1 -> "int";
            default -> "rest";
        });
    }
}
