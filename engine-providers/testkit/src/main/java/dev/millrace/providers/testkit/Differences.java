package dev.millrace.providers.testkit;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The comparison of data within the tolerances of ONNX's own test runner. */
final class Differences {
    private static final double RELATIVE = 1e-3;
    private static final double ABSOLUTE = 1e-7;

    private Differences() {}

    /** Describes the first difference; null where the two agree. */
    static @Nullable String find(@Nullable Datum actual, Datum expected) {
        if (actual instanceof Tensor a && expected instanceof Tensor e) {
            return tensors(a, e);
        }
        if (actual instanceof TensorSequence a && expected instanceof TensorSequence e) {
            if (a.elements().size() != e.elements().size()) {
                return a.elements().size() + " elements, expected "
                        + e.elements().size();
            }
            for (int i = 0; i < e.elements().size(); i++) {
                String difference = find(a.elements().get(i), e.elements().get(i));
                if (difference != null) {
                    return "element " + i + ": " + difference;
                }
            }
            return null;
        }
        if (actual instanceof OptionalDatum a && expected instanceof OptionalDatum e) {
            Datum inside = e.value();
            return inside == null ? (a.value() == null ? null : "not empty") : find(a.value(), inside);
        }
        return "is " + actual + ", expected " + expected;
    }

    private static @Nullable String tensors(Tensor actual, Tensor expected) {
        if (actual.type() != expected.type() || !actual.shape().equals(expected.shape())) {
            return "is " + actual + ", expected " + expected;
        }
        ElementType type = expected.type();
        if (type == ElementType.STRING) {
            return Arrays.equals(actual.strings(), expected.strings())
                    ? null
                    : "is " + Arrays.toString(actual.strings()) + ", expected " + Arrays.toString(expected.strings());
        }
        long parts = type.kind() == ElementType.Kind.COMPLEX ? 2 * expected.elements() : expected.elements();
        for (long i = 0; i < parts; i++) {
            if (!agree(type, actual, expected, i)) {
                return "element " + i + " of " + expected + " is " + Elements.getDouble(type, actual.segment(), i)
                        + ", expected " + Elements.getDouble(type, expected.segment(), i);
            }
        }
        return null;
    }

    private static boolean agree(ElementType type, Tensor actual, Tensor expected, long i) {
        if (type.bits() == 64 && type.isInteger()) {
            return Elements.getLong(type, actual.segment(), i) == Elements.getLong(type, expected.segment(), i);
        }
        double a = Elements.getDouble(type, actual.segment(), i);
        double e = Elements.getDouble(type, expected.segment(), i);
        return a == e || (Double.isNaN(a) && Double.isNaN(e)) || Math.abs(a - e) <= ABSOLUTE + RELATIVE * Math.abs(e);
    }
}
