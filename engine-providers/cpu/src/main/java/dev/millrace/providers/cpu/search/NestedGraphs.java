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

/** The nested graphs of a search that make up its model. */
record NestedGraphs(Node node) {
    /** The name of a graph's input for the length of the caches' content, where caches are allocated at full length. */
    static final String LENGTH = "past_sequence_length";

    /** The name of a graph's input for the number of sequences for each text. */
    static final String BEAMS = "beam_width";

    /**
     * The name of a graph's input for the table of caches: for each sequence and step the sequence of the text whose
     * cache holds the step.
     */
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

    /** Returns the inputs behind the first one, which holds words. */
    List<Value> furtherInputs(String attribute) {
        List<Value> inputs = inputs(attribute);
        return inputs.subList(1, inputs.size());
    }

    EngineException unknown(Value input) {
        return EngineException.notImplemented(node.describe() + ": a graph that asks for '" + input.name() + "'");
    }

    /** Returns the tensor of an input that a graph asks for by name. Throws where it is missing. */
    Tensor required(@Nullable Tensor tensor, Value input) {
        if (tensor == null) {
            throw unknown(input);
        }
        return tensor;
    }

    static @Nullable SymbolicShape shape(Value value) {
        return value.described() instanceof ValueType.TensorType tensor ? tensor.shape() : null;
    }

    /**
     * Runs a graph. Returns its output tensors, which have a row for each sequence along {@code axis}; the first
     * {@code others} have them along axis 0.
     */
    List<Tensor> run(DynamicContext context, String attribute, List<Datum> operands, long rows, int others, int axis) {
        var outputs = new ArrayList<Tensor>();
        for (Datum datum : context.runNested(attribute, operands)) {
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
