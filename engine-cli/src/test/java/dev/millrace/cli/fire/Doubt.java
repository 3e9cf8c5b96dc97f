package dev.millrace.cli.fire;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.util.Map;
import java.util.function.DoublePredicate;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Finds reasons why two answers to one problem may differ although neither is wrong. */
public final class Doubt {
    private static final double SQUARE_OVERFLOWS = Math.sqrt(Float.MAX_VALUE);

    private final Plain plain;
    private final boolean ignoresNaN;

    /** An evaluation of a model without any optimisation. */
    @FunctionalInterface
    public interface Plain {
        /** Returns the outputs of the model, or null if it does not answer. */
        @Nullable
        Map<String, Datum> answers(byte[] model, Inputs inputs);
    }

    /** The reason of a difference. */
    public enum Reason {
        /** There is no excuse: one of the answers is wrong. */
        NONE,
        /**
         * An intermediate value is so large that its square overflows, so that results computed from it are arbitrary.
         */
        OVERFLOW,
        /** Numbers of 16 bits are rounded at different places. */
        ROUNDED_ELSEWHERE,
        /** One ulp of the inputs and weights explains a part of the difference. */
        A_PART,
        /** One ulp of the inputs and weights explains all of the difference. */
        ALL
    }

    /** @param ignoresNaN whether NaN is ignored when the largest magnitude is looked for */
    public Doubt(Plain plain, boolean ignoresNaN) {
        this.plain = plain;
        this.ignoresNaN = ignoresNaN;
    }

    /** Returns the reason why an output differs from the expected one. */
    public Reason reason(byte[] model, Inputs inputs, String output, Datum expected, Datum actual) {
        if (overflowsInside(model, inputs)) {
            return Reason.OVERFLOW;
        }
        Conditioning.Plain one = (changed, request) -> {
            Map<String, Datum> answers = plain.answers(changed, request);
            return answers == null ? null : answers.get(output);
        };
        if (new Widened(one).explains(model, inputs, expected, actual)) {
            return Reason.ROUNDED_ELSEWHERE;
        }
        return switch (new Conditioning(one).share(model, inputs, expected, actual)) {
            case NONE -> Reason.NONE;
            case A_PART -> Reason.A_PART;
            case ALL -> Reason.ALL;
        };
    }

    private boolean overflowsInside(byte[] model, Inputs inputs) {
        if (inputs.asMap().values().stream().anyMatch(this::squareOverflows)
                || hasWeight(model, weight -> !(Math.abs(weight) < SQUARE_OVERFLOWS))) {
            return true;
        }
        Map<String, Datum> inside = plain.answers(InnerValues.shown(model), inputs);
        return inside != null && inside.values().stream().anyMatch(this::squareOverflows);
    }

    private boolean squareOverflows(Datum value) {
        return value instanceof Tensor tensor && !(largest(tensor, ignoresNaN) < SQUARE_OVERFLOWS);
    }

    /** Whether the main graph has a weight, for itself or for nested graphs, that satisfies a predicate. */
    static boolean hasWeight(byte[] model, DoublePredicate wanted) {
        return Models.read(model, null).graph().constants().stream()
                .map(Value::constant)
                .anyMatch(weight -> weight != null && has(weight, wanted));
    }

    /** Whether a floating-point tensor has a number that satisfies a predicate. */
    static boolean has(Tensor tensor, DoublePredicate wanted) {
        ElementType type = tensor.type();
        return type.isFloating()
                && LongStream.range(0, tensor.elements())
                        .anyMatch(i -> wanted.test(Elements.getDouble(type, tensor.segment(), i)));
    }

    /**
     * Returns the largest magnitude of a floating-point tensor, 0 if there is none; NaN if it
     * has one that is not ignored.
     */
    static double largest(Tensor tensor, boolean ignoresNaN) {
        ElementType type = tensor.type();
        double largest = 0;
        for (long i = 0; type.isFloating() && i < tensor.elements(); i++) {
            double magnitude = Math.abs(Elements.getDouble(type, tensor.segment(), i));
            largest = ignoresNaN && Double.isNaN(magnitude) ? largest : Math.max(largest, magnitude);
        }
        return largest;
    }
}
