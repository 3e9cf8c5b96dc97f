package dev.millrace.bench.agree;

import dev.millrace.cli.conformance.TensorComparison;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares answers: names, kinds, types, shapes and strings have to be equal, NaN has to be where NaN is, infinities
 * are the same, -0 is 0, and other numbers are within the tolerance of their type.
 */
final class Judge {
    /** The absolute tolerance: that of ONNX's own tests in addition to their relative tolerance. */
    private static final double NOTHING = 1e-7;

    private final Tolerances tolerances;
    private final ModelFileFacts facts;
    private final TensorComparison comparison = new TensorComparison(this::numbers);
    private double worst;

    Judge(Tolerances tolerances, ModelFileFacts facts) {
        this.tolerances = tolerances;
        this.facts = facts;
    }

    /** The largest distance so far, of accepted and refused answers. */
    double worst() {
        return worst;
    }

    /** Returns a description of the difference of {@code actual} from {@code expected}, or null if there is none. */
    @Nullable
    String difference(Map<String, Datum> expected, Map<String, Datum> actual) {
        if (!List.copyOf(expected.keySet()).equals(List.copyOf(actual.keySet()))) {
            return "has outputs " + actual.keySet() + ", expected " + expected.keySet();
        }
        for (Map.Entry<String, Datum> entry : expected.entrySet()) {
            Datum other = Objects.requireNonNull(actual.get(entry.getKey()));
            String difference = comparison.difference(entry.getValue(), like(entry.getValue(), other));
            if (difference != null) {
                return "output '" + entry.getKey() + "' " + difference;
            }
        }
        return null;
    }

    /** Returns the content of an optional if the other side does not wrap its value in one. */
    private static Datum like(Datum expected, Datum actual) {
        return !(expected instanceof OptionalDatum)
                        && actual instanceof OptionalDatum optional
                        && optional.value() != null
                ? optional.value()
                : actual;
    }

    private @Nullable String numbers(Tensor expected, Tensor actual) {
        if (facts.random()) {
            return null;
        }
        ElementType type = expected.type();
        boolean relative = type.isFloating() || type.kind() == ElementType.Kind.COMPLEX;
        double scale = relative ? largest(expected) : 1;
        double allowed = relative ? facts.allowed(type, tolerances) : tolerances.of(type);
        double farthest = 0;
        long at = -1;
        long wrong = 0;
        for (long i = 0; i < parts(expected); i++) {
            double distance = distance(expected, actual, i);
            double share = distance <= NOTHING ? 0 : distance / scale;
            if (share > farthest) {
                farthest = share;
                at = i;
            }
            wrong += share > allowed ? 1 : 0;
        }
        worst = Math.max(worst, farthest);
        return wrong == 0
                ? null
                : "differs in " + wrong + " of " + parts(expected) + " numbers, worst at " + at + ": "
                        + text(actual, at) + ", expected " + text(expected, at);
    }

    private static long parts(Tensor tensor) {
        return tensor.elements() * (tensor.type().kind() == ElementType.Kind.COMPLEX ? 2 : 1);
    }

    private static double largest(Tensor tensor) {
        double largest = 0;
        for (long i = 0; i < parts(tensor); i++) {
            double size = Math.abs(Elements.getDouble(tensor.type(), tensor.segment(), i));
            largest = Double.isFinite(size) ? Math.max(largest, size) : largest;
        }
        return largest;
    }

    private static double distance(Tensor expected, Tensor actual, long index) {
        ElementType type = expected.type();
        if (!type.isFloating() && type.kind() != ElementType.Kind.COMPLEX) {
            long want = Elements.getLong(type, expected.segment(), index);
            long got = Elements.getLong(type, actual.segment(), index);
            // neighbouring integers beyond 2^53 are equal as doubles
            return want == got ? 0 : Math.max(1, Math.abs((double) want - (double) got));
        }
        double want = Elements.getDouble(type, expected.segment(), index);
        double got = Elements.getDouble(type, actual.segment(), index);
        if (want == got || Double.isNaN(want) && Double.isNaN(got)) {
            return 0;
        }
        double distance = Math.abs(want - got);
        return Double.isNaN(distance) ? Double.POSITIVE_INFINITY : distance;
    }

    private static String text(Tensor tensor, long index) {
        ElementType type = tensor.type();
        if (type.isInteger() || type == ElementType.BOOL) {
            long value = Elements.getLong(type, tensor.segment(), index);
            return type == ElementType.UINT64 ? Long.toUnsignedString(value) : Long.toString(value);
        }
        return Double.toString(Elements.getDouble(type, tensor.segment(), index));
    }
}
