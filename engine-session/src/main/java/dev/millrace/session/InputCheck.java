package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Holds what a caller gives against what the model declares, before anything runs. */
final class InputCheck {
    private final List<ValueInfo> declared;
    private final Map<String, ValueInfo> byName = new HashMap<>();

    InputCheck(List<ValueInfo> declared) {
        this.declared = declared;
        declared.forEach(info -> byName.put(info.name(), info));
    }

    void check(Inputs given) {
        int matched = 0;
        for (int i = 0; i < declared.size(); i++) {
            ValueInfo info = declared.get(i);
            Datum value = given.input(info.name());
            if (value != null) {
                matched++;
                check(info, value);
            } else if (!info.optional()) {
                throw EngineException.invalidArgument(
                        "Missing Input: " + info.name() + "; the model takes " + declared);
            }
        }
        if (matched != given.asMap().size()) {
            for (String name : given.asMap().keySet()) {
                if (!byName.containsKey(name)) {
                    throw EngineException.invalidArgument(
                            "Invalid input name: " + name + "; the model takes " + declared);
                }
            }
        }
    }

    private static void check(ValueInfo info, Datum value) {
        if (!(info.type() instanceof ValueType.TensorType type)) {
            return;
        }
        if (!(value instanceof Tensor tensor)) {
            throw EngineException.invalidArgument("Input '" + info.name() + "' is a "
                    + value.getClass().getSimpleName() + " where the model takes " + type);
        }
        if (type.element() != null && tensor.type() != type.element()) {
            throw EngineException.invalidArgument("Unexpected input data type for '" + info.name() + "': got "
                    + tensor.type() + ", expected " + type.element());
        }
        SymbolicShape shape = type.shape();
        if (shape != null) {
            checkShape(info, shape, tensor.shape());
        }
    }

    private static void checkShape(ValueInfo info, SymbolicShape declared, Shape shape) {
        if (declared.rank() != shape.rank()) {
            throw EngineException.invalidArgument("Invalid rank for input: " + info.name() + ". Got: " + shape.rank()
                    + " " + shape + ", expected: " + declared.rank() + " " + declared);
        }
        for (int i = 0; i < shape.rank(); i++) {
            if (declared.dim(i) instanceof Dim.Known known && known.extent() != shape.dim(i)) {
                throw EngineException.invalidArgument("Got invalid dimensions for input: " + info.name()
                        + ". Axis " + i + " is " + shape.dim(i) + " in " + shape + ", expected " + known.extent()
                        + " as in " + declared);
            }
        }
    }
}
