package dev.millrace.providers.tests;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The answers of a run, copied out of it, and their comparison. */
record RunAnswers(Map<String, Tensor> byName) {
    /** Runs a session. */
    static RunAnswers of(Inference session, Inputs inputs) {
        try (Outputs outputs = session.run(inputs)) {
            return of(outputs);
        }
    }

    static RunAnswers of(Outputs outputs) {
        var copies = new LinkedHashMap<String, Tensor>();
        for (Map.Entry<String, Datum> output : outputs.asMap().entrySet()) {
            copies.put(output.getKey(), Tensor.copyOf((Tensor) output.getValue()));
        }
        return new RunAnswers(copies);
    }

    /**
     * Checks that these answers are those of the host.
     *
     * @param tolerance the largest difference between real numbers, as a part of the largest one
     */
    void assertEqual(RunAnswers expected, double tolerance, String what) {
        if (!byName.keySet().equals(expected.byName.keySet())) {
            throw new AssertionError(what + ": outputs " + byName.keySet() + ", expected " + expected.byName.keySet());
        }
        byName.forEach((name, tensor) -> {
            String difference = difference(tensor, Objects.requireNonNull(expected.byName.get(name)), tolerance);
            if (!difference.isEmpty()) {
                throw new AssertionError(what + ": output '" + name + "' " + difference);
            }
        });
    }

    /** Describes the first difference; empty where there is none. */
    private static String difference(Tensor actual, Tensor expected, double tolerance) {
        if (actual.type() != expected.type() || !actual.shape().equals(expected.shape())) {
            return "is " + actual + ", expected " + expected;
        }
        double largest = 0;
        for (long i = 0; i < expected.elements(); i++) {
            double number = Math.abs(at(expected, i));
            largest = Double.isFinite(number) ? Math.max(largest, number) : largest;
        }
        double most = expected.type().isFloating() ? tolerance * largest : 0;
        for (long i = 0; i < expected.elements(); i++) {
            double a = at(actual, i);
            double e = at(expected, i);
            if (a != e && !(Double.isNaN(a) && Double.isNaN(e)) && !(Math.abs(a - e) <= most)) {
                return "has " + a + " at " + i + ", expected " + e + " (" + expected + ")";
            }
        }
        return "";
    }

    private static double at(Tensor tensor, long index) {
        return Elements.getDouble(tensor.type(), tensor.segment(), index);
    }
}
