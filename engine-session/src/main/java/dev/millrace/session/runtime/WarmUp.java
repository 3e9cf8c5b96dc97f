package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.List;
import java.util.Map;

/** Inputs of zeros, for runs whose answers are discarded. */
final class WarmUp {
    /** The number of runs after which a session has done all one-time work for a tuple of shapes. */
    static final int RUNS = 3;

    private WarmUp() {}

    static Inputs inputs(List<ValueInfo> declared, Map<String, Shape> shapes) {
        for (String name : shapes.keySet()) {
            if (declared.stream().noneMatch(info -> info.name().equals(name))) {
                throw EngineException.invalidArgument("Invalid input name: " + name + "; there are "
                        + declared.stream().map(ValueInfo::name).toList());
            }
        }
        Inputs inputs = Inputs.empty();
        for (ValueInfo info : declared) {
            Shape shape = shapes.get(info.name());
            if (shape != null || !info.optional()) {
                inputs.and(info.name(), zeros(info, shape == null ? declaredShape(info) : shape));
            }
        }
        return inputs;
    }

    private static Tensor zeros(ValueInfo info, Shape shape) {
        if (info.type() instanceof ValueType.TensorType type && type.element() != null) {
            return Tensor.allocate(type.element(), shape);
        }
        throw EngineException.invalidArgument(
                "input '" + info.name() + "' is no tensor of a known type: warm up with a run of your own");
    }

    private static Shape declaredShape(ValueInfo info) {
        if (info.type() instanceof ValueType.TensorType type && type.shape() != null) {
            List<Dim> dims = type.shape().dims();
            long[] extents = dims.stream()
                    .mapToLong(dim -> dim instanceof Dim.Known known ? known.extent() : -1)
                    .toArray();
            if (dims.stream().allMatch(Dim.Known.class::isInstance)) {
                return Shape.of(extents);
            }
        }
        throw EngineException.invalidArgument(
                "input '" + info.name() + "' has no fixed shape: give one to warm up with");
    }
}
