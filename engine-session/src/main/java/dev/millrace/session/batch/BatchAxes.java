package dev.millrace.session.batch;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The axes along which the values of a model's requests are concatenated, and the extents that may be padded. */
final class BatchAxes {
    private final boolean padded;
    private final List<Laid> inputs;
    /** The outputs in the model's order. */
    private final List<Laid> outputs;

    /**
     * An input or output of the model.
     *
     * @param axis the axis along which requests are concatenated; -1 if there is none
     * @param memory the memory of the tensors that are made of it for batches
     */
    private record Laid(String name, SymbolicShape shape, int axis, BatchMemory memory) {
        Laid(String name, SymbolicShape shape, int axis) {
            this(name, shape, axis, new BatchMemory());
        }

        private @Nullable Tensor of(Inputs callerInputs) {
            return callerInputs.input(name) instanceof Tensor tensor ? tensor : null;
        }

        Dim dim(int index) {
            return shape.dim(index);
        }
    }

    BatchAxes(Session session, BatchOptions options) {
        this.padded = options.padded();
        String batch =
                options.axis() == null && options.along().isEmpty() ? firstAxis(session.inputs()) : options.axis();
        inputs = laid(session.inputs(), batch, options);
        outputs = laid(session.outputs(), batch, options);
        for (String name : options.along().keySet()) {
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

    private static List<Laid> laid(List<ValueInfo> values, @Nullable String batch, BatchOptions options) {
        return values.stream().map(value -> laid(value, batch, options)).toList();
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

    private static Laid laid(ValueInfo info, @Nullable String batch, BatchOptions options) {
        SymbolicShape shape = shape(info);
        Integer said = options.along().get(info.name());
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

    /** Whether two requests fit into one run. Both have been checked: they name only inputs that the model has. */
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

    /** Returns a request's extent along the batch axis. */
    long extent(Inputs callerInputs) {
        for (Laid input : inputs) {
            Tensor tensor = input.axis < 0 ? null : input.of(callerInputs);
            if (tensor != null) {
                return tensor.shape().dim(input.axis);
            }
        }
        return -1;
    }

    /** Returns the number of elements in a request's inputs. */
    long elements(Inputs callerInputs) {
        long elements = 0;
        for (Laid input : inputs) {
            Tensor tensor = input.of(callerInputs);
            elements += tensor == null ? 0 : tensor.elements();
        }
        return elements;
    }

    /** Returns the value that a request gives to a named extent; -1 if its inputs do not determine it. */
    private long extentOf(Inputs callerInputs, String name) {
        for (Laid input : inputs) {
            int axis = axis(input.shape, name);
            Tensor tensor = axis < 0 ? null : input.of(callerInputs);
            if (tensor != null) {
                return tensor.shape().dim(axis);
            }
        }
        return -1;
    }

    /** The concatenated inputs of several requests, in tensors that are closed with this. */
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

    /** Splits the answer to a batch into its parts, in the order of its requests. */
    Parts parts(Outputs all) {
        return new Parts(all);
    }

    /** A batch's answer, from which each request's part is copied. Its tensors are retained meanwhile. */
    final class Parts implements AutoCloseable {
        private final Outputs all;
        private final Tensor[] wholes;
        private final Tensor[] held;
        /** The shapes of the previous parts, which mostly are those of the next ones, too. */
        private final @Nullable Shape[] shapes;

        private long at;

        private Parts(Outputs all) {
            this.all = all;
            this.wholes = new Tensor[outputs.size()];
            this.held = new Tensor[wholes.length];
            this.shapes = new Shape[wholes.length];
            Arrays.setAll(wholes, all::get);
            Arrays.setAll(held, i -> wholes[i].retain());
        }

        /** Skips a request's part. */
        void skip(Inputs request) {
            at += extent(request);
        }

        /** Returns a copy of the next request's part. */
        Outputs next(Inputs request) {
            Datum[] values = new Datum[held.length];
            long extent = extent(request);
            long from = at;
            at += extent;
            for (int i = 0; i < values.length; i++) {
                Laid declared = outputs.get(i);
                Shape shape = shape(declared, held[i].shape(), shapes[i], request, extent);
                shapes[i] = shape;
                BatchMemory.Made part = declared.memory.tensor(held[i].type(), shape);
                values[i] = part.tensor();
                BoxCopy.copyHeld(held[i], from, part, 0, declared.axis, shape);
            }
            return new Outputs(all.names(), values);
        }

        @Override
        public void close() {
            for (Tensor whole : wholes) {
                whole.release();
            }
            all.close();
        }
    }

    /** Returns the shape of a request's part of an output. */
    private Shape shape(Laid declared, Shape whole, @Nullable Shape before, Inputs request, long extent) {
        if (before != null && isShape(before, declared, whole, request, extent)) {
            return before;
        }
        long[] dims = new long[whole.rank()];
        Arrays.setAll(dims, i -> dim(i, declared, whole, request, extent));
        return Shape.of(dims);
    }

    private boolean isShape(Shape shape, Laid declared, Shape whole, Inputs request, long extent) {
        for (int i = 0; i < whole.rank(); i++) {
            if (shape.dim(i) != dim(i, declared, whole, request, extent)) {
                return false;
            }
        }
        return true;
    }

    private long dim(int index, Laid declared, Shape whole, Inputs request, long extent) {
        if (index == declared.axis && extent >= 0) {
            return extent;
        }
        long own = declared.dim(index) instanceof Dim.Symbol symbol ? extentOf(request, symbol.name()) : -1;
        return own < 0 ? whole.dim(index) : own;
    }
}
