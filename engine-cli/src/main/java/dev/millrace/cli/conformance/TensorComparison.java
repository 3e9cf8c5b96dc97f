package dev.millrace.cli.conformance;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A comparison of results as the ONNX backend tests do it: shape and type equal, strings equal, numbers
 * close, integers and booleans included; NaN equals NaN and infinities agree. Sequences have the expected
 * length and are compared element by element.
 */
public final class TensorComparison {
    private final Numbers numbers;

    /** A comparison of numbers of one type and shape. */
    @FunctionalInterface
    public interface Numbers {
        /** Returns a description of the difference, or null if there is none. */
        @Nullable
        String difference(Tensor expected, Tensor actual);
    }

    public TensorComparison(Tolerance tolerance) {
        this((expected, actual) -> numbers(expected, actual, tolerance));
    }

    /** Creates a comparison with its own criterion for numbers. */
    public TensorComparison(Numbers numbers) {
        this.numbers = numbers;
    }

    /** Returns a description of the difference, or null if there is none. */
    public @Nullable String difference(Datum expected, Datum actual) {
        return switch (expected) {
            case Tensor tensor -> actual instanceof Tensor other ? tensors(tensor, other) : kinds(expected, actual);
            case TensorSequence sequence ->
                actual instanceof TensorSequence other
                        ? sequences(sequence.elements(), other.elements())
                        : kinds(expected, actual);
            case OptionalDatum optional -> optionals(optional, actual);
            case MapDatum map -> actual instanceof MapDatum other ? maps(map, other) : kinds(expected, actual);
        };
    }

    private static String kinds(Datum expected, Datum actual) {
        return "is a " + actual.getClass().getSimpleName() + ", expected a "
                + expected.getClass().getSimpleName();
    }

    private @Nullable String optionals(OptionalDatum expected, Datum actual) {
        Datum inside = actual instanceof OptionalDatum optional ? optional.value() : actual;
        if (expected.value() == null || inside == null) {
            return expected.value() == inside ? null : "one optional is empty, the other is not";
        }
        return difference(expected.value(), inside);
    }

    private @Nullable String sequences(List<Datum> expected, List<Datum> actual) {
        if (expected.size() != actual.size()) {
            return "has " + actual.size() + " elements, expected " + expected.size();
        }
        for (int i = 0; i < expected.size(); i++) {
            String inside = difference(expected.get(i), actual.get(i));
            if (inside != null) {
                return "element " + i + " " + inside;
            }
        }
        return null;
    }

    private @Nullable String maps(MapDatum expected, MapDatum actual) {
        if (!expected.entries().keySet().equals(actual.entries().keySet())) {
            return "has keys " + actual.entries().keySet() + ", expected "
                    + expected.entries().keySet();
        }
        for (Map.Entry<Object, Datum> entry : expected.entries().entrySet()) {
            String inside = difference(
                    entry.getValue(), Objects.requireNonNull(actual.entries().get(entry.getKey())));
            if (inside != null) {
                return "key " + entry.getKey() + " " + inside;
            }
        }
        return null;
    }

    private @Nullable String tensors(Tensor expected, Tensor actual) {
        if (!expected.shape().equals(actual.shape())) {
            return "has shape " + actual.shape() + ", expected " + expected.shape();
        }
        if (expected.type() != actual.type()) {
            return "has type " + actual.type() + ", expected " + expected.type();
        }
        if (expected.type() == ElementType.STRING) {
            return strings(expected.strings(), actual.strings());
        }
        return numbers.difference(expected, actual);
    }

    private static @Nullable String numbers(Tensor expected, Tensor actual, Tolerance tolerance) {
        boolean wide = expected.type() == ElementType.INT64 || expected.type() == ElementType.UINT64;
        long parts = expected.type().kind() == ElementType.Kind.COMPLEX ? 2 : 1;
        double worst = 0;
        long worstAt = -1;
        long wrong = 0;
        for (long i = 0; i < expected.elements() * parts; i++) {
            if (wide
                    && Elements.getLong(expected.type(), expected.segment(), i)
                            == Elements.getLong(actual.type(), actual.segment(), i)) {
                continue;
            }
            double want = Elements.getDouble(expected.type(), expected.segment(), i);
            double got = Elements.getDouble(actual.type(), actual.segment(), i);
            double error = error(want, got);
            if (error > tolerance.absolute() + tolerance.relative() * Math.abs(want) || error == Double.MAX_VALUE) {
                wrong++;
                if (error > worst) {
                    worst = error;
                    worstAt = i;
                }
            }
        }
        if (wrong == 0) {
            return null;
        }
        return wrong + " of " + expected.elements() + " elements differ, worst at " + worstAt + ": "
                + Elements.getDouble(actual.type(), actual.segment(), worstAt) + ", expected "
                + Elements.getDouble(expected.type(), expected.segment(), worstAt);
    }

    /** Returns the distance of two numbers; the largest finite number if only one is NaN or infinities disagree. */
    private static double error(double want, double got) {
        if (want == got || Double.isNaN(want) && Double.isNaN(got)) {
            return 0;
        }
        double error = Math.abs(want - got);
        return Double.isFinite(error) ? error : Double.MAX_VALUE;
    }

    private static @Nullable String strings(String[] expected, String[] actual) {
        for (int i = 0; i < expected.length; i++) {
            if (!expected[i].equals(actual[i])) {
                return "string " + i + " is \"" + actual[i] + "\", expected \"" + expected[i] + "\"";
            }
        }
        return null;
    }
}
