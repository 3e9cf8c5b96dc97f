package dev.millrace.providers.simd.context;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A partition's binding to shapes that it may have, without a run around it.
 *
 * @param contents what some of the inputs hold, by their places; of the others nothing is known
 */
record NominalBinding(Node node, Graph graph, List<Shape> shapes, Map<Integer, Tensor> contents)
        implements BindContext {
    private static ElementType type(Value value) {
        ElementType type = value.elementType();
        if (type == null) {
            throw EngineException.invalidGraph("the type of '" + value.name() + "' is not known");
        }
        return type;
    }

    @Override
    public int inputCount() {
        return shapes.size();
    }

    @Override
    public boolean hasInput(int index) {
        return true;
    }

    @Override
    public ElementType inputType(int index) {
        return type(graph.inputs().get(index));
    }

    @Override
    public Shape inputShape(int index) {
        return shapes.get(index);
    }

    @Override
    public @Nullable Tensor constantInput(int index) {
        return null;
    }

    @Override
    public Tensor requireValue(int index) {
        Tensor content = contents.get(index);
        if (content == null) {
            throw EngineException.notImplemented("the content of input " + index + " is not known before a run");
        }
        return content;
    }

    @Override
    public int outputCount() {
        return graph.outputs().size();
    }

    @Override
    public boolean hasOutput(int index) {
        return true;
    }

    @Override
    public ElementType outputType(int index) {
        return type(graph.outputs().get(index));
    }

    @Override
    public Shape outputShape(int index) {
        throw EngineException.notImplemented("the shapes of outputs are not known before a run");
    }

    @Override
    public void alias(int output, int input) {
        // no run follows
    }

    @Override
    public void mayReuse(int output, int input) {
        // no run follows
    }

    @Override
    public void fold(int output, Tensor value) {
        // no run follows
    }

    @Override
    public void workspace(long bytes) {
        // no run follows
    }

    @Override
    public int parallelism() {
        return 1;
    }
}
