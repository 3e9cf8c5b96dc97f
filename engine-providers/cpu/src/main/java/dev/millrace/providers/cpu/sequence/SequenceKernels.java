package dev.millrace.providers.cpu.sequence;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.providers.cpu.move.Pieces;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The kernels of operators on sequences and optionals. */
public final class SequenceKernels {
    /** Each part is a tensor of its own, with memory of its own. */
    private static final long MOST_PARTS = 1 << 24;

    private SequenceKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable DynamicKernel create(Node node) {
        return switch (node.op().name()) {
            case "SequenceConstruct" -> context -> context.output(0, new TensorSequence(inputs(context)));
            case "SequenceEmpty" -> context -> context.output(0, TensorSequence.of());
            case "SequenceAt" ->
                context -> {
                    List<Datum> elements = elements(context, 0);
                    context.output(0, elements.get(position(context, 1, elements.size() - 1)));
                };
            case "SequenceInsert" -> SequenceKernels::insert;
            case "SequenceErase" -> SequenceKernels::erase;
            case "SequenceLength" ->
                context -> context.output(0, scalar(elements(context, 0).size()));
            case "ConcatFromSequence" -> SequenceKernels::concat;
            case "SplitToSequence" -> SequenceKernels::split;
            case "SequenceMap" -> SequenceKernels::map;
            case "Optional" -> context -> context.output(0, new OptionalDatum(context.input(0)));
            case "OptionalHasElement" ->
                context -> context.output(0, Tensor.copyOf(new boolean[] {unwrapped(context.input(0)) != null}));
            case "OptionalGetElement" -> SequenceKernels::element;
            default -> null;
        };
    }

    private static @Nullable Datum unwrapped(@Nullable Datum datum) {
        return datum instanceof OptionalDatum optional ? optional.value() : datum;
    }

    private static void element(DynamicContext context) {
        Datum value = unwrapped(context.input(0));
        if (value == null) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": the optional is empty; ask OptionalHasElement first");
        }
        context.output(0, value);
    }

    private static Tensor scalar(long value) {
        return Tensor.copyOf(new long[] {value});
    }

    private static List<Datum> inputs(DynamicContext context) {
        List<Datum> inputs = new ArrayList<>();
        for (int i = 0; i < context.inputCount(); i++) {
            inputs.add(Objects.requireNonNull(context.input(i)));
        }
        return inputs;
    }

    private static List<Datum> elements(DynamicContext context, int index) {
        if (unwrapped(context.input(index)) instanceof TensorSequence sequence) {
            return sequence.elements();
        }
        throw EngineException.invalidArgument(context.node().describe() + ": input " + index + " is no sequence");
    }

    private static List<Tensor> tensors(DynamicContext context, int index) {
        List<Tensor> tensors = new ArrayList<>();
        for (Datum element : elements(context, index)) {
            if (!(element instanceof Tensor tensor)) {
                throw EngineException.invalidArgument(
                        context.node().describe() + ": the sequence holds other things than tensors");
            }
            tensors.add(tensor);
        }
        return tensors;
    }

    /** A position counted from the front, at most {@code last}. */
    private static int position(DynamicContext context, int input, int last) {
        long count = context.tensor(input).longs()[0];
        long position = count < 0 ? count + last + 1 : count;
        if (position < 0 || position > last) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": position " + count + " is outside of the sequence");
        }
        return (int) position;
    }

    private static void requireSome(DynamicContext context, List<? extends Datum> elements) {
        if (elements.isEmpty()) {
            throw EngineException.invalidArgument(context.node().describe() + ": the sequence is empty");
        }
    }

    private static void insert(DynamicContext context) {
        List<Datum> elements = new ArrayList<>(elements(context, 0));
        int size = elements.size();
        int at = size;
        if (context.input(2) != null) {
            long count = context.tensor(2).longs()[0];
            at = count < 0 ? position(context, 2, size - 1) : position(context, 2, size);
        }
        elements.add(at, context.tensor(1));
        context.output(0, new TensorSequence(elements));
    }

    private static void erase(DynamicContext context) {
        List<Datum> elements = new ArrayList<>(elements(context, 0));
        requireSome(context, elements);
        int last = elements.size() - 1;
        elements.remove(context.input(1) == null ? last : position(context, 1, last));
        context.output(0, new TensorSequence(elements));
    }

    private static void concat(DynamicContext context) {
        List<Tensor> parts = tensors(context, 0);
        requireSome(context, parts);
        boolean stacks = context.node().attributes().flag("new_axis", false);
        int rank = parts.getFirst().shape().rank() + (stacks ? 1 : 0);
        int axis = Shape.axis(context.node().attributes().integer("axis"), rank);
        context.output(0, stacks ? Pieces.stack(parts, axis) : Pieces.join(parts, axis));
    }

    private static void split(DynamicContext context) {
        Tensor whole = context.tensor(0);
        int axis = Shape.axis(
                context.node().attributes().integer("axis", 0), whole.shape().rank());
        long extent = whole.shape().dim(axis);
        boolean keeps = context.node().attributes().flag("keepdims", true);
        List<Datum> parts = new ArrayList<>();
        if (context.input(1) == null) {
            requireCount(context, extent);
            for (Tensor part : Pieces.cutEqually(context, whole, axis, 1, extent)) {
                parts.add(keeps ? part : Pieces.withoutAxis(part, axis));
            }
        } else if (context.tensor(1).shape().rank() == 0) {
            long asked = context.tensor(1).longs()[0];
            if (asked <= 0) {
                throw EngineException.invalidArgument(context.node().describe() + ": parts of " + asked + " steps");
            }
            long size = Math.min(asked, Math.max(1, extent));
            requireCount(context, Math.ceilDiv(extent, size));
            parts.addAll(Pieces.cutEqually(context, whole, axis, size, extent / size));
            if (extent % size > 0) {
                parts.add(Pieces.cut(whole, axis, extent - extent % size, extent % size));
            }
        } else {
            long[] sizes = context.tensor(1).longs();
            requireCount(context, sizes.length);
            long at = 0;
            for (long length : sizes) {
                context.checkCancelled();
                parts.add(Pieces.cut(whole, axis, at, length));
                at += length;
            }
            if (at != extent) {
                throw EngineException.invalidArgument(context.node().describe() + ": parts of " + at
                        + " steps together where axis " + axis + " has " + extent);
            }
        }
        context.output(0, new TensorSequence(parts));
    }

    private static void requireCount(DynamicContext context, long parts) {
        if (parts > MOST_PARTS) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": a sequence of " + parts + " parts; " + MOST_PARTS + " are allowed");
        }
    }

    private static Datum element(DynamicContext context, TensorSequence sequence, int step, int steps) {
        int size = sequence.elements().size();
        if (step >= size) {
            throw EngineException.invalidArgument(context.node().describe() + ": sequences of " + steps + " and " + size
                    + " elements where one length is expected");
        }
        return sequence.elements().get(step);
    }

    /** Runs the body for each position of the first sequence; inputs that are no sequences are the same for all. */
    private static void map(DynamicContext context) {
        int steps = elements(context, 0).size();
        List<List<Datum>> outputs = new ArrayList<>();
        for (int i = 0; i < context.outputCount(); i++) {
            outputs.add(new ArrayList<>());
        }
        for (int step = 0; step < steps; step++) {
            context.checkCancelled();
            List<Datum> inputs = new ArrayList<>();
            for (Datum input : inputs(context)) {
                inputs.add(input instanceof TensorSequence sequence ? element(context, sequence, step, steps) : input);
            }
            List<Datum> results = context.runNested("body", inputs);
            for (int i = 0; i < outputs.size(); i++) {
                outputs.get(i).add(results.get(i));
            }
        }
        for (int i = 0; i < outputs.size(); i++) {
            context.output(i, new TensorSequence(outputs.get(i)));
        }
    }
}
