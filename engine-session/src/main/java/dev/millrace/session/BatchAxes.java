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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Along which axes the values of a model are laid side by side, and which of their extents may be padded. */
final class BatchAxes {
    private final boolean padded;
    private final Map<String, Laid> inputs = new LinkedHashMap<>();
    private final Map<String, Laid> outputs = new LinkedHashMap<>();

    /**
     * A value of the model.
     *
     * @param axis along which requests lie; -1 where there is none
     * @param memory of what is made of it for batches
     */
    private record Laid(SymbolicShape shape, int axis, BatchMemory memory) {
        Laid(SymbolicShape shape, int axis) {
            this(shape, axis, new BatchMemory());
        }

        Dim dim(int index) {
            return shape.dim(index);
        }
    }

    BatchAxes(Session session, BatchOptions how) {
        this.padded = how.padded();
        String batch = how.axis() == null && how.along().isEmpty() ? firstAxis(session.inputs()) : how.axis();
        session.inputs().forEach(input -> inputs.put(input.name(), laid(input, batch, how)));
        session.outputs().forEach(output -> outputs.put(output.name(), laid(output, batch, how)));
        for (String name : how.along().keySet()) {
            if (!inputs.containsKey(name) && !outputs.containsKey(name)) {
                throw EngineException.invalidArgument("the model has no input or output '" + name + "': "
                        + session.inputs() + ", " + session.outputs());
            }
        }
        String called = batch == null ? "along which requests lie" : "'" + batch + "'";
        if (inputs.values().stream().allMatch(input -> input.axis < 0)) {
            throw EngineException.invalidArgument("no input has an axis " + called + ": " + session.inputs());
        }
        outputs.forEach((name, output) -> {
            if (output.axis < 0) {
                throw EngineException.invalidArgument("output '" + name + "' has no axis " + called
                        + ", so a batch cannot be split: it is declared as " + output.shape
                        + "; BatchOptions.along names axes by their numbers");
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
        throw EngineException.invalidArgument("no input has an open first axis with a name to lay requests along: "
                + inputs + "; BatchOptions.along names axes by their numbers");
    }

    private static Laid laid(ValueInfo info, @Nullable String batch, BatchOptions how) {
        SymbolicShape shape = shape(info);
        Integer said = how.along().get(info.name());
        if (said == null) {
            return new Laid(shape, axis(shape, batch));
        }
        int axis = said < 0 ? said + shape.rank() : said;
        if (axis < 0 || axis >= shape.rank()) {
            throw EngineException.invalidArgument(info + " has no axis " + said);
        }
        if (shape.dim(axis) instanceof Dim.Known) {
            throw EngineException.invalidArgument(
                    "axis " + said + " of " + info + " has a fixed extent, so requests cannot lie along it");
        }
        return new Laid(shape, axis);
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

    private static int axis(SymbolicShape shape, @Nullable String name) {
        for (int i = 0; i < shape.rank(); i++) {
            if (shape.dim(i) instanceof Dim.Symbol symbol && symbol.name().equals(name)) {
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
        for (Map.Entry<String, Laid> input : inputs.entrySet()) {
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

    private boolean fit(Laid declared, Tensor one, Tensor other) {
        if (declared.axis < 0) {
            return one == other
                    || one.shape().equals(other.shape()) && one.segment().mismatch(other.segment()) == -1;
        }
        for (int i = 0; i < declared.shape.rank(); i++) {
            boolean free = i == declared.axis || padded && declared.dim(i) instanceof Dim.Symbol;
            if (!free && one.shape().dim(i) != other.shape().dim(i)) {
                return false;
            }
        }
        return true;
    }

    /** How much of the batch a request is. */
    long extent(Inputs given) {
        for (Map.Entry<String, Laid> input : inputs.entrySet()) {
            int axis = input.getValue().axis;
            if (axis >= 0 && given.input(input.getKey()) instanceof Tensor tensor) {
                return tensor.shape().dim(axis);
            }
        }
        return -1;
    }

    /** What a request has for an extent with a name; -1 where it does not say. */
    private long extentOf(Inputs given, String name) {
        for (Map.Entry<String, Laid> input : inputs.entrySet()) {
            int axis = axis(input.getValue().shape, name);
            if (axis >= 0 && given.input(input.getKey()) instanceof Tensor tensor) {
                return tensor.shape().dim(axis);
            }
        }
        return -1;
    }

    /** Requests side by side, in tensors that are closed with this. */
    static final class Joined implements AutoCloseable {
        private final Inputs inputs = Inputs.empty();
        private final List<Tensor> made = new ArrayList<>();

        Inputs inputs() {
            return inputs;
        }

        @Override
        public void close() {
            made.forEach(Tensor::close);
        }
    }

    Joined join(List<Inputs> requests) {
        var joined = new Joined();
        inputs.forEach((name, declared) -> {
            Datum first = requests.getFirst().input(name);
            if (first == null || declared.axis < 0) {
                if (first != null) {
                    joined.inputs.and(name, first);
                }
                return;
            }
            Tensor side = join(name, declared, requests);
            joined.made.add(side);
            joined.inputs.and(name, side);
        });
        return joined;
    }

    private Tensor join(String name, Laid declared, List<Inputs> requests) {
        int along = declared.axis;
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
        BatchMemory.Made joined = declared.memory.tensor(parts.getFirst().type(), Shape.of(dims));
        if (padded) {
            joined.content().fill((byte) 0);
        }
        long[] at = new long[dims.length];
        for (Tensor part : parts) {
            Box.copy(part, new long[dims.length], joined, at, part.shape());
            at[along] += part.shape().dim(along);
        }
        return joined.tensor();
    }

    /** A request's part of the outputs, copied out of the batch, where it begins at {@code start}. */
    Outputs part(Outputs all, Inputs request, long start) {
        List<String> names = all.names();
        Datum[] values = new Datum[names.size()];
        for (int i = 0; i < values.length; i++) {
            Laid declared = outputs.get(names.get(i));
            Tensor whole = all.get(i);
            if (declared == null) {
                throw new IllegalStateException("an output that is not the model's: " + names.get(i));
            }
            values[i] = part(declared, whole, request, start);
        }
        return new Outputs(names, values);
    }

    private Tensor part(Laid declared, Tensor whole, Inputs request, long start) {
        long[] dims = whole.shape().toArray();
        long[] from = new long[dims.length];
        for (int i = 0; i < dims.length; i++) {
            if (i == declared.axis || declared.dim(i) instanceof Dim.Symbol) {
                long own =
                        i == declared.axis ? extent(request) : extentOf(request, ((Dim.Symbol) declared.dim(i)).name());
                dims[i] = own < 0 ? dims[i] : own;
            }
        }
        from[declared.axis] = start;
        BatchMemory.Made part = declared.memory.tensor(whole.type(), Shape.of(dims));
        Box.copy(whole, from, part, new long[dims.length], part.tensor().shape());
        return part.tensor();
    }

    /** Copies boxes between tensors of one rank and type. */
    private static final class Box {
        private Box() {}

        static void copy(Tensor whole, long[] fromAt, BatchMemory.Made to, long[] toAt, Shape box) {
            if (box.elements() == 0) {
                return;
            }
            Tensor from = whole.hold();
            try {
                copyHeld(from, fromAt, to, toAt, box);
            } finally {
                whole.letGo();
            }
        }

        private static void copyHeld(Tensor from, long[] fromAt, BatchMemory.Made to, long[] toAt, Shape box) {
            int last = box.rank() - 1;
            long row = box.dim(last);
            long[] source = from.shape().strides();
            long[] target = to.tensor().shape().strides();
            MemorySegment read = from.segment();
            MemorySegment written = to.content();
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
                        from.type().bytes(writeAt),
                        from.type().bytes(row));
            }
        }
    }
}
