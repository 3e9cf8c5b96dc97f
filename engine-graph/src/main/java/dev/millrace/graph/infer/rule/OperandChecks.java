package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks of operators' inputs beside the first: scales, biases, weights, states. An omitted input passes, and so does
 * an extent that is not known yet; a run's concrete shapes are checked by the same rules.
 */
final class OperandChecks {
    private OperandChecks() {}

    /** Checks that input {@code input} has exactly one element, at any rank. */
    static void one(InferenceContext c, int input) {
        count(c, input, "one element", Dims.ONE);
    }

    /** Checks that these inputs are not omitted. */
    static void required(InferenceContext c, int... inputs) {
        for (int input : inputs) {
            if (!c.has(input)) {
                throw c.refuse("input " + input + " is missing");
            }
        }
    }

    static void one(InferenceContext c, int... inputs) {
        for (int input : inputs) {
            one(c, input);
        }
    }

    /** Checks that the number of elements of input {@code input} is one of {@code counts}, at any rank. */
    static void count(InferenceContext c, int input, String what, Dim... counts) {
        List<Dim> dims = c.dims(input);
        if (dims == null) {
            return;
        }
        Dim found = Dims.product(dims);
        for (Dim count : counts) {
            if (!Dims.differ(found, count)) {
                return;
            }
        }
        throw c.refuse("input " + input + " has shape " + dims + " where " + what + " is expected: "
                + List.of(counts).getFirst()
                + (counts.length == 1 ? "" : " or " + List.of(counts).subList(1, counts.length)));
    }

    /** Checks that input {@code input} has these extents. */
    static void shape(InferenceContext c, int input, Dim... expected) {
        shape(c, input, List.of(expected));
    }

    /** Checks that input {@code input} has these extents; null where they are not known. */
    static void shape(InferenceContext c, int input, @Nullable List<Dim> expected) {
        List<Dim> dims = c.dims(input);
        if (dims != null && expected != null && differ(dims, expected)) {
            throw c.refuse("input " + input + " has shape " + dims + " where " + expected + " is expected");
        }
    }

    private static boolean differ(List<Dim> a, List<Dim> b) {
        if (a.size() != b.size()) {
            return true;
        }
        for (int i = 0; i < a.size(); i++) {
            if (Dims.differ(a.get(i), b.get(i))) {
                return true;
            }
        }
        return false;
    }

    /** Checks that input {@code input} broadcasts to {@code target} by numpy's rule without enlarging it. */
    static void broadcastsTo(InferenceContext c, int input, @Nullable List<Dim> target) {
        List<Dim> dims = c.dims(input);
        if (dims == null || target == null) {
            return;
        }
        int lead = target.size() - dims.size();
        boolean fits = lead >= 0;
        for (int i = 0; fits && i < dims.size(); i++) {
            fits = dims.get(i).is(1) || !Dims.differ(dims.get(i), target.get(i + lead));
        }
        if (!fits) {
            throw c.refuse("input " + input + " has shape " + dims + ", which does not broadcast to " + target);
        }
    }

    /** Throws where {@code count} is certainly no multiple of {@code divisor}. */
    static void divides(InferenceContext c, String what, long divisor, Dim count) {
        if (divisor <= 0 || count instanceof Dim.Known known && known.extent() % divisor != 0) {
            throw c.refuse(what + " " + divisor + " does not divide " + count);
        }
    }
}
