package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Along which axes the values of a model are laid side by side, and which of their extents may be padded. */
final class BatchAxes {
    private final boolean padded;
    private final List<Laid> inputs;
    /** In the model's order. */
    private final List<Laid> outputs;

    /**
     * A value of the model.
     *
     * @param axis along which requests lie; -1 where there is none
     * @param memory of what is made of it for batches
     */
    private record Laid(String name, SymbolicShape shape, int axis, BatchMemory memory) {
        Laid(String name, SymbolicShape shape, int axis) {
            this(name, shape, axis, new BatchMemory());
        }

        private @Nullable Tensor of(Inputs given) {
            return given.input(name) instanceof Tensor tensor ? tensor : null;
        }

        Dim dim(int index) {
            return shape.dim(index);
        }
    }

    BatchAxes(Session session, BatchOptions how) {
        this.padded = how.padded();
        String batch = how.axis() == null && how.along().isEmpty() ? firstAxis(session.inputs()) : how.axis();
        inputs = laid(session.inputs(), batch, how);
        outputs = laid(session.outputs(), batch, how);
        for (String name : how.along().keySet()) {
            if (inputs.stream().noneMatch(laid -> laid.name.equals(name))
                    && outputs.stream().noneMatch(laid -> laid.name.equals(name))) {
                throw EngineException.invalidArgument("the model has no input or output '" + name + "': "
                        + session.inputs() + ", " + session.outputs());
            }
        }
        String called = batch == null ? "along which requests lie" : "'" + batch + "'";
        if (inputs.stream().allMatch(input -> input.axis < 0)) {
            throw EngineException.invalidArgument("no input has an axis " + called + ": " + session.inputs());
        }
        for (Laid output : outputs) {
            if (output.axis < 0) {
                throw EngineException.invalidArgument("output '" + output.name + "' has no axis " + called
                        + ", so a batch cannot be split: it is declared as " + output.shape
                        + "; BatchOptions.along names axes by their numbers");
            }
        }
    }

    private static List<Laid> laid(List<ValueInfo> values, @Nullable String batch, BatchOptions how) {
        return values.stream().map(value -> laid(value, batch, how)).toList();
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
            return new Laid(info.name(), shape, axis(shape, batch));
        }
        int axis = said < 0 ? said + shape.rank() : said;
        if (axis < 0 || axis >= shape.rank()) {
            throw EngineException.invalidArgument(info + " has no axis " + said);
        }
        if (shape.dim(axis) instanceof Dim.Known) {
            throw EngineException.invalidArgument(
                    "axis " + said + " of " + info + " has a fixed extent, so requests cannot lie along it");
        }
        return new Laid(info.name(), shape, axis);
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

    /** Whether two requests fit into one run. Both have been checked: they name no inputs that the model does not have. */
    boolean fit(Inputs one, Inputs other) {
        for (int i = 0; i < inputs.size(); i++) {
            Laid declared = inputs.get(i);
            Tensor a = declared.of(one);
            Tensor b = declared.of(other);
            if (a == null || b == null ? a != b : !fit(declared, a, b)) {
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
        for (Laid input : inputs) {
            Tensor tensor = input.axis < 0 ? null : input.of(given);
            if (tensor != null) {
                return tensor.shape().dim(input.axis);
            }
        }
        return -1;
    }

    /** How many elements a request's inputs have. */
    long elements(Inputs given) {
        long elements = 0;
        for (Laid input : inputs) {
            Tensor tensor = input.of(given);
            elements += tensor == null ? 0 : tensor.elements();
        }
        return elements;
    }

    /** What a request has for an extent with a name; -1 where it does not say. */
    private long extentOf(Inputs given, String name) {
        for (Laid input : inputs) {
            int axis = axis(input.shape, name);
            Tensor tensor = axis < 0 ? null : input.of(given);
            if (tensor != null) {
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
        for (Laid declared : inputs) {
            Tensor first = declared.of(requests.getFirst());
            if (first != null && declared.axis < 0) {
                joined.inputs.and(declared.name, first);
            } else if (first != null) {
                Tensor side = join(declared, requests);
                joined.made.add(side);
                joined.inputs.and(declared.name, side);
            }
        }
        return joined;
    }

    private Tensor join(Laid declared, List<Inputs> requests) {
        int along = declared.axis;
        Tensor[] parts = new Tensor[requests.size()];
        Arrays.setAll(parts, i -> (Tensor) requests.get(i).input(declared.name));
        long[] dims = new long[declared.shape.rank()];
        for (Tensor part : parts) {
            for (int i = 0; i < dims.length; i++) {
                long extent = part.shape().dim(i);
                dims[i] = i == along ? dims[i] + extent : Math.max(dims[i], extent);
            }
        }
        BatchMemory.Made joined = declared.memory.tensor(parts[0].type(), Shape.of(dims));
        if (padded) {
            joined.content().fill((byte) 0);
        }
        long at = 0;
        for (Tensor part : parts) {
            BoxCopy.copy(part, 0, joined, at, along, part.shape());
            at += part.shape().dim(along);
        }
        return joined.tensor();
    }

    /** A request's part of the outputs, copied out of the batch, where it begins at {@code start}. */
    Outputs part(Outputs all, Inputs request, long start) {
        Datum[] values = new Datum[outputs.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = part(outputs.get(i), all.get(i), request, start);
        }
        return new Outputs(all.names(), values);
    }

    private Tensor part(Laid declared, Tensor whole, Inputs request, long start) {
        long[] dims = whole.shape().toArray();
        for (int i = 0; i < dims.length; i++) {
            long own = -1;
            if (i == declared.axis) {
                own = extent(request);
            } else if (declared.dim(i) instanceof Dim.Symbol symbol) {
                own = extentOf(request, symbol.name());
            }
            dims[i] = own < 0 ? dims[i] : own;
        }
        BatchMemory.Made part = declared.memory.tensor(whole.type(), Shape.of(dims));
        BoxCopy.copy(whole, start, part, 0, declared.axis, part.tensor().shape());
        return part.tensor();
    }
}
