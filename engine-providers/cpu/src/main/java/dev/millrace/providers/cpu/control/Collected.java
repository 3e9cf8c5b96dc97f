package dev.millrace.providers.cpu.control;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.Pieces;
import java.util.ArrayList;
import java.util.List;

/** What one output of a body gives step by step, put together along an axis of its own in the end. */
final class Collected {
    private final Node node;
    private final Value bodyOutput;
    private final List<Tensor> steps = new ArrayList<>();

    Collected(Node node, Value bodyOutput) {
        this.node = node;
        this.bodyOutput = bodyOutput;
    }

    void add(Tensor step) {
        steps.add(step);
    }

    Tensor stacked(long axisGiven, boolean reversed) {
        if (steps.isEmpty()) {
            return empty(axisGiven);
        }
        int axis = Shape.axis(axisGiven, steps.getFirst().shape().rank() + 1);
        return Pieces.stack(reversed ? steps.reversed() : steps, axis);
    }

    /** No step was run: the type that the body declares, extents that it leaves open are zero. */
    private Tensor empty(long axisGiven) {
        ValueType described = bodyOutput.described();
        ElementType type = described instanceof ValueType.TensorType tensor ? tensor.element() : null;
        SymbolicShape shape = described instanceof ValueType.TensorType tensor ? tensor.shape() : null;
        if (type == null) {
            throw EngineException.invalidGraph(
                    node.describe() + ": no step was run and the type of '" + bodyOutput.name() + "' is not declared");
        }
        List<Long> dims = new ArrayList<>();
        if (shape != null) {
            for (Dim dim : shape.dims()) {
                dims.add(Math.max(0, dim.extentOrMinusOne()));
            }
        }
        dims.add(Shape.axis(axisGiven, dims.size() + 1), 0L);
        return Tensor.allocate(type, Shape.of(dims));
    }
}
