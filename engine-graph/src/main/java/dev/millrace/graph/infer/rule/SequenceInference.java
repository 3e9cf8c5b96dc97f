package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.OptionalType;
import dev.millrace.graph.ir.ValueType.SequenceType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Type rules of sequences of tensors, and of optionals. */
final class SequenceInference {
    private SequenceInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case "SequenceConstruct" -> construct(c);
            case "SequenceEmpty" ->
                c.set(0, new SequenceType(new TensorType(c.elementAttribute("dtype", ElementType.FLOAT), null)));
            case "SequenceAt" -> {
                OperandChecks.one(c, 1);
                c.set(0, elementOf(c, 0));
            }
            case "SequenceInsert" -> insert(c);
            case "SequenceErase" -> {
                OperandChecks.one(c, 1);
                c.set(0, sequence(elementOf(c, 0)));
            }
            case "SequenceLength", "OptionalHasElement" ->
                c.set(0, TypeLattice.scalar(c.op().equals("SequenceLength") ? ElementType.INT64 : ElementType.BOOL));
            case "SplitToSequence" -> split(c);
            case "ConcatFromSequence" -> concat(c);
            case "Optional" -> {
                ValueType content = c.inputs() > 0 ? c.type(0) : c.attributes().type("type");
                c.set(0, content == null ? null : new OptionalType(content));
            }
            default -> {
                ValueType type = c.type(0);
                c.set(0, type instanceof OptionalType optional ? optional.element() : type);
            }
        }
    }

    static @Nullable SequenceType sequence(@Nullable ValueType element) {
        return element == null ? null : new SequenceType(element);
    }

    /** Returns the element type of the sequence in input {@code input}; null where it is not known. */
    static @Nullable ValueType elementOf(InferenceContext c, int input) {
        return switch (c.type(input)) {
            case null -> null;
            case SequenceType sequence -> sequence.element();
            case ValueType other -> throw c.refuse("input " + input + " is " + other + " where a sequence is expected");
        };
    }

    private static void construct(InferenceContext c) {
        ValueType element = c.tensor(0);
        for (int i = 1; i < c.inputs(); i++) {
            element = TypeLattice.join(element, c.tensor(i));
        }
        c.set(0, sequence(element));
    }

    private static void insert(InferenceContext c) {
        ValueType held = elementOf(c, 0);
        TensorType added = c.tensor(1);
        OperandChecks.one(c, 2);
        if (held instanceof TensorType tensor
                && tensor.element() != null
                && added.element() != null
                && tensor.element() != added.element()) {
            throw c.refuse("a tensor of " + added.element() + " does not fit a sequence of " + tensor.element());
        }
        c.set(0, sequence(held == null ? null : TypeLattice.join(held, added)));
    }

    private static void split(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        if (dims == null) {
            c.set(0, new SequenceType(new TensorType(c.element(0), null)));
            return;
        }
        int axis = c.axis(c.attributes().integer("axis", 0), dims.size());
        var part = new ArrayList<>(dims);
        if (c.has(1)) {
            part.set(axis, equalPart(c, dims.get(axis)));
        } else if (c.attributes().flag("keepdims", true)) {
            part.set(axis, Dims.ONE);
        } else {
            part.remove(axis);
        }
        c.set(0, new SequenceType(TypeLattice.tensor(c.element(0), part)));
    }

    /** Returns the extent that all parts have, or unknown where they differ. */
    private static Dim equalPart(InferenceContext c, Dim whole) {
        List<Dim> sizes = c.integers(1);
        List<Dim> shape = c.dims(1);
        if (sizes == null || shape == null || sizes.isEmpty()) {
            return Dim.UNKNOWN;
        }
        Dim first = sizes.getFirst();
        if (shape.isEmpty()) {
            return first.isKnown() && !first.is(0) && Dims.divideExactly(whole, first) != null ? first : Dim.UNKNOWN;
        }
        return sizes.stream().allMatch(size -> Dims.same(size, first)) ? first : Dim.UNKNOWN;
    }

    private static void concat(InferenceContext c) {
        if (!(elementOf(c, 0) instanceof TensorType part)) {
            return;
        }
        List<Dim> dims = part.shape() == null ? null : part.shape().dims();
        if (dims == null) {
            c.set(0, part.element(), null);
            return;
        }
        boolean stacked = c.attributes().flag("new_axis", false);
        var joined = new ArrayList<>(dims);
        int axis = c.axis(c.attributes().integer("axis"), dims.size() + (stacked ? 1 : 0));
        if (stacked) {
            joined.add(axis, Dim.UNKNOWN);
        } else {
            joined.set(axis, Dim.UNKNOWN);
        }
        c.set(0, part.element(), joined);
    }
}
