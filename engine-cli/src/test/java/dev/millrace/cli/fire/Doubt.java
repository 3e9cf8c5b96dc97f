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

/** Why answers to the same question may differ where nobody is wrong. */
public final class Doubt {
    private static final double SQUARE_OVERFLOWS = Math.sqrt(Float.MAX_VALUE);

    private final Plain plain;
    private final boolean ignoresNaN;

    /** Whoever answers for a model without any optimisation. */
    @FunctionalInterface
    public interface Plain {
        /** The outputs of the model, or null where it does not answer. */
        @Nullable
        Map<String, Datum> answers(byte[] model, Inputs inputs);
    }

    /** What makes a difference. */
    public enum Reason {
        /** Somebody is wrong. */
        NONE,
        /** A number on the way is so large that its square is none any more: what is made of it is anything. */
        OVERFLOW,
        /** Numbers of 16 bits are rounded at other places. */
        ROUNDED_ELSEWHERE,
        /** The last place of the numbers that are given makes a part of the difference. */
        A_PART,
        /** It makes as much. */
        ALL
    }

    /** @param ignoresNaN whether what is no number counts as none that is large */
    public Doubt(Plain plain, boolean ignoresNaN) {
        this.plain = plain;
        this.ignoresNaN = ignoresNaN;
    }

    /** Why an output differs from what was expected of it. */
    public Reason reason(byte[] model, Inputs inputs, String output, Datum expected, Datum actual) {
        if (overflowsInside(model, inputs)) {
            return Reason.OVERFLOW;
        }
        Conditioning.Plain one = (changed, given) -> {
            Map<String, Datum> answers = plain.answers(changed, given);
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

    /** Whether a weight that the main graph has, for itself or for graphs inside, is of a kind. */
    static boolean hasWeight(byte[] model, DoublePredicate wanted) {
        return Models.read(model, null).graph().constants().stream()
                .map(Value::constant)
                .anyMatch(weight -> weight != null && has(weight, wanted));
    }

    /** Whether a floating number of a tensor is of a kind. */
    static boolean has(Tensor tensor, DoublePredicate wanted) {
        ElementType type = tensor.type();
        return type.isFloating()
                && LongStream.range(0, tensor.elements())
                        .anyMatch(i -> wanted.test(Elements.getDouble(type, tensor.segment(), i)));
    }

    /** The largest magnitude of a float, 0 where there is none; NaN where one is that is not ignored. */
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
