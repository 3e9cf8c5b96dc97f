package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Along which axes the values of a model are laid side by side, and which of their extents may be padded. */
final class BatchAxes {
    private final String batch;
    private final boolean padded;
    private final Map<String, SymbolicShape> inputs = new LinkedHashMap<>();
    private final Map<String, SymbolicShape> outputs = new LinkedHashMap<>();

    BatchAxes(Session session, BatchOptions how) {
        this.padded = how.padded();
        this.batch = how.axis() == null ? firstAxis(session.inputs()) : how.axis();
        session.inputs().forEach(input -> inputs.put(input.name(), shape(input)));
        session.outputs().forEach(output -> outputs.put(output.name(), shape(output)));
        if (inputs.values().stream().allMatch(shape -> axis(shape) < 0)) {
            throw EngineException.invalidArgument("no input has an axis '" + batch + "': " + session.inputs());
        }
        outputs.forEach((name, shape) -> {
            if (axis(shape) < 0) {
                throw EngineException.invalidArgument("output '" + name + "' has no axis '" + batch
                        + "', so a batch cannot be split: it is declared as " + shape);
            }
        });
    }

    private static String firstAxis(List<ValueInfo> inputs) {
        for (ValueInfo input : inputs) {
            SymbolicShape shape = shape(input);
            if (shape.rank() > 0 && shape.dim(0) instanceof Dim.Symbol symbol) {
                return symbol.name();
            }
        }
        throw EngineException.invalidArgument("no input has an open first axis to lay requests along: " + inputs);
    }

    private static SymbolicShape shape(ValueInfo info) {
        if (info.type() instanceof ValueType.TensorType type
                && type.shape() != null
                && type.element() != null
                && type.element().bits() % Byte.SIZE == 0
                && type.element() != ElementType.STRING) {
            return type.shape();
        }
        throw EngineException.invalidArgument("requests with " + info + " cannot be batched");
    }

    private int axis(SymbolicShape shape) {
        for (int i = 0; i < shape.rank(); i++) {
            if (shape.dim(i) instanceof Dim.Symbol symbol && symbol.name().equals(batch)) {
                return i;
            }
        }
        return -1;
    }

    /** Whether two requests fit into one run. */
    boolean fit(Inputs one, Inputs other) {
        if (!one.asMap().keySet().equals(other.asMap().keySet())) {
            return false;
        }
        for (Map.Entry<String, SymbolicShape> input : inputs.entrySet()) {
            Datum a = one.input(input.getKey());
            Datum b = other.input(input.getKey());
            if (a != null
                    && b != null
                    && !(a instanceof Tensor first
                            && b instanceof Tensor second
                            && fit(input.getValue(), first, second))) {
                return false;
            }
        }
        return true;
    }

    private boolean fit(SymbolicShape declared, Tensor one, Tensor other) {
        int along = axis(declared);
        if (along < 0) {
            return one == other
                    || one.shape().equals(other.shape()) && one.segment().mismatch(other.segment()) == -1;
        }
        for (int i = 0; i < declared.rank(); i++) {
            boolean free = i == along || padded && declared.dim(i) instanceof Dim.Symbol;
            if (!free && one.shape().dim(i) != other.shape().dim(i)) {
                return false;
            }
        }
        return true;
    }

    /** How much of the batch a request is. */
    long extent(Inputs given) {
        return extentOf(given, batch);
    }

    private long extentOf(Inputs given, String name) {
        for (Map.Entry<String, SymbolicShape> input : inputs.entrySet()) {
            if (given.input(input.getKey()) instanceof Tensor tensor) {
                for (int i = 0; i < input.getValue().rank(); i++) {
                    if (input.getValue().dim(i) instanceof Dim.Symbol symbol
                            && symbol.name().equals(name)) {
                        return tensor.shape().dim(i);
                    }
                }
            }
        }
        return -1;
    }

    Inputs join(List<Inputs> requests) {
        Inputs joined = Inputs.empty();
        inputs.forEach((name, declared) -> {
            Datum first = requests.getFirst().input(name);
            if (first != null) {
                int along = axis(declared);
                joined.and(name, along < 0 ? first : join(name, along, requests));
            }
        });
        return joined;
    }

    private static Tensor join(String name, int along, List<Inputs> requests) {
        List<Tensor> parts = requests.stream()
                .map(request -> (Tensor) request.asMap().get(name))
                .toList();
        long[] dims = parts.getFirst().shape().toArray();
        for (int i = 0; i < dims.length; i++) {
            long extent = 0;
            for (Tensor part : parts) {
                extent = i == along
                        ? extent + part.shape().dim(i)
                        : Math.max(extent, part.shape().dim(i));
            }
            dims[i] = extent;
        }
        Tensor joined = Tensor.allocate(parts.getFirst().type(), Shape.of(dims));
        long[] at = new long[dims.length];
        for (Tensor part : parts) {
            Box.copy(part, new long[dims.length], joined, at, part.shape());
            at[along] += part.shape().dim(along);
        }
        return joined;
    }

    /** A request's part of the outputs, copied out of the batch, where it begins at {@code start}. */
    Outputs part(Outputs all, Inputs request, long start) {
        List<String> names = all.names();
        Datum[] values = new Datum[names.size()];
        for (int i = 0; i < values.length; i++) {
            SymbolicShape declared = outputs.get(names.get(i));
            Tensor whole = all.get(i);
            if (declared == null) {
                throw new IllegalStateException("an output that is not the model's: " + names.get(i));
            }
            values[i] = part(declared, whole, request, start);
        }
        return new Outputs(names, values);
    }

    private Tensor part(SymbolicShape declared, Tensor whole, Inputs request, long start) {
        long[] dims = whole.shape().toArray();
        long[] from = new long[dims.length];
        for (int i = 0; i < dims.length; i++) {
            if (declared.dim(i) instanceof Dim.Symbol symbol) {
                long own = extentOf(request, symbol.name());
                dims[i] = own < 0 ? dims[i] : own;
            }
        }
        from[axis(declared)] = start;
        Tensor part = Tensor.allocate(whole.type(), Shape.of(dims));
        Tensor held = whole.hold();
        try {
            Box.copy(held, from, part, new long[dims.length], part.shape());
        } finally {
            whole.letGo();
        }
        return part;
    }

    /** Copies boxes between tensors of one rank and type. */
    private static final class Box {
        private Box() {}

        static void copy(Tensor from, long[] fromAt, Tensor to, long[] toAt, Shape box) {
            if (box.elements() == 0) {
                return;
            }
            int last = box.rank() - 1;
            long row = box.dim(last);
            long[] source = from.shape().strides();
            long[] target = to.shape().strides();
            MemorySegment read = from.segment();
            MemorySegment written = to.segment();
            for (long i = 0; i < box.elements() / row; i++) {
                long readAt = fromAt[last];
                long writeAt = toAt[last];
                long rest = i;
                for (int axis = last - 1; axis >= 0; axis--) {
                    long index = rest % box.dim(axis);
                    rest /= box.dim(axis);
                    readAt += (fromAt[axis] + index) * source[axis];
                    writeAt += (toAt[axis] + index) * target[axis];
                }
                MemorySegment.copy(
                        read,
                        from.type().bytes(readAt),
                        written,
                        to.type().bytes(writeAt),
                        from.type().bytes(row));
            }
        }
    }
}
