package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.AbstractSymbolBlock;
import ai.djl.nn.ParameterList;
import ai.djl.training.ParameterStore;
import ai.djl.util.PairList;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.ValueInfo;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A session as a block of DJL. Arrays go to the inputs of their names, or in order if their names are no inputs. */
final class DjlSymbolBlock extends AbstractSymbolBlock {
    private final Session session;
    private final DjlManager manager;

    DjlSymbolBlock(Session session, DjlManager manager) {
        this.session = session;
        this.manager = manager;
    }

    @Override
    protected NDList forwardInternal(
            ParameterStore parameters, NDList arrays, boolean training, @Nullable PairList<String, Object> options) {
        if (training) {
            throw new UnsupportedOperationException("the engine Millrace does not train");
        }
        DjlManager target = arrays.isEmpty() || !(arrays.head().getManager() instanceof DjlManager own) ? manager : own;
        try (Outputs outputs = session.run(inputs(arrays))) {
            var results = new NDList();
            for (String name : outputs.names()) {
                if (!(outputs.datum(name) instanceof Tensor tensor)) {
                    throw new UnsupportedOperationException("output '" + name + "' is no tensor");
                }
                NDArray array = tensor.type() == ElementType.STRING
                        ? target.create(
                                tensor.strings(), new Shape(tensor.shape().toArray()))
                        : target.of(ArrayData.of(tensor));
                array.setName(name);
                results.add(array);
            }
            return results;
        }
    }

    private Inputs inputs(NDList arrays) {
        List<String> names = session.inputs().stream().map(ValueInfo::name).toList();
        boolean isNamed = arrays.stream().allMatch(each -> each.getName() != null && names.contains(each.getName()));
        if (!isNamed && arrays.size() > names.size()) {
            throw new IllegalArgumentException(
                    "the model has the inputs " + names + ", and " + arrays.size() + " arrays were given");
        }
        var inputs = Inputs.empty();
        for (int i = 0; i < arrays.size(); i++) {
            NDArray array = arrays.get(i);
            inputs.and(isNamed ? array.getName() : names.get(i), tensor(array));
        }
        return inputs;
    }

    private Tensor tensor(NDArray array) {
        if (array instanceof DjlArray own) {
            return own.data().tensor();
        }
        if (array.getDataType() == DataType.STRING) {
            var shape = dev.millrace.graph.tensor.Shape.of(array.getShape().getShape());
            return Tensor.ofStrings(shape, array.toStringArray());
        }
        try (DjlArray copy = manager.from(array)) { // the manager lives as long as the model
            return copy.data().tensor();
        }
    }

    /** Returns nothing: the weights are those of the session. */
    @Override
    public ParameterList getDirectParameters() {
        return new ParameterList();
    }

    @Override
    public PairList<String, Shape> describeInput() {
        return described(session.inputs());
    }

    @Override
    public PairList<String, Shape> describeOutput() {
        return described(session.outputs());
    }

    private static PairList<String, Shape> described(List<ValueInfo> values) {
        var described = new PairList<String, Shape>();
        values.forEach(each -> described.add(each.name(), shape(each)));
        return described;
    }

    /** Returns a declared shape, with -1 for extents that are open. */
    private static Shape shape(ValueInfo value) {
        SymbolicShape shape = value.type() instanceof ValueType.TensorType type ? type.shape() : null;
        return shape == null
                ? new Shape()
                : new Shape(IntStream.range(0, shape.rank())
                        .mapToLong(axis -> shape.dim(axis) instanceof Dim.Known known ? known.extent() : -1)
                        .toArray());
    }
}
