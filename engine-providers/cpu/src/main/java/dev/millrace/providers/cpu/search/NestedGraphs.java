package dev.millrace.providers.cpu.search;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The graphs of a search that make up its model. */
record NestedGraphs(Node node) {
    /** The input of a graph that is told how long the content of caches is, which are as large as they may become. */
    static final String LENGTH = "past_sequence_length";

    /** The input of a graph that is told how many sequences there are for a text. */
    static final String BEAMS = "beam_width";

    /** The input of a graph that is told which sequence of a text has a step of another. */
    static final String BEAM_TABLE = "cache_indirection";

    boolean asksForLength(String attribute) {
        return inputs(attribute).stream().anyMatch(input -> input.name().equals(LENGTH));
    }

    List<Value> inputs(String attribute) {
        Graph graph = node.attributes().graph(attribute);
        if (graph.inputs().isEmpty()) {
            throw EngineException.invalidGraph(node.describe() + ": the " + attribute + " has no inputs");
        }
        return graph.inputs();
    }

    /** Inputs behind the first one, which is for words. */
    List<Value> furtherInputs(String attribute) {
        List<Value> inputs = inputs(attribute);
        return inputs.subList(1, inputs.size());
    }

    EngineException unknown(Value input) {
        return EngineException.notImplemented(node.describe() + ": a graph that asks for '" + input.name() + "'");
    }

    /** What a graph asks for by that name, which may not be there. */
    Tensor required(@Nullable Tensor tensor, Value input) {
        if (tensor == null) {
            throw unknown(input);
        }
        return tensor;
    }

    static @Nullable SymbolicShape shape(Value value) {
        return value.described() instanceof ValueType.TensorType tensor ? tensor.shape() : null;
    }

    /** What a graph gives: tensors, with a row for each sequence along an axis; the first ones are along axis 0. */
    List<Tensor> run(DynamicContext context, String attribute, List<Datum> given, long rows, int others, int axis) {
        var outputs = new ArrayList<Tensor>();
        for (Datum datum : context.runNested(attribute, given)) {
            int expected = outputs.size() < others ? 0 : axis;
            if (!(datum instanceof Tensor tensor)
                    || tensor.shape().rank() <= expected
                    || tensor.shape().dim(expected) != rows) {
                throw EngineException.invalidGraph(node.describe() + ": output " + outputs.size() + " of its "
                        + attribute + " is " + datum + " for " + rows + " sequences along axis " + expected);
            }
            outputs.add(tensor);
        }
        return outputs;
    }
}
