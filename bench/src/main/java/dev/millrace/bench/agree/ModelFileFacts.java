package dev.millrace.bench.agree;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.FunctionInliner;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.ValueInfo;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The facts in a model's file, before anybody runs it.
 *
 * @param graph the main graph with its functions inlined, or null if it cannot be read
 * @param random whether it draws random numbers, so that only types and shapes can be compared
 * @param types the element types of the values in it, as far as they are known
 * @param quantised whether it computes with quantised numbers
 */
record ModelFileFacts(@Nullable Graph graph, boolean random, Set<ElementType> types, boolean quantised) {
    static ModelFileFacts of(Path file) {
        var search = new Search();
        Graph graph = null;
        try {
            graph = FunctionInliner.inline(Models.read(file)).graph();
            TypeInference.infer(graph);
        } catch (EngineException refused) {
            // types that inference did not find stay unknown
        }
        if (graph != null) {
            search.over(graph);
        }
        return new ModelFileFacts(graph, search.random, search.types, search.quantised);
    }

    /** Returns the inputs of the main graph, or null if it could not be read. */
    @Nullable
    List<ValueInfo> inputs() {
        Graph main = graph;
        return main == null
                ? null
                : main.inputs().stream()
                        .map(input -> new ValueInfo(input.name(), input.type(), main.defaultOf(input) != null))
                        .toList();
    }

    /** Returns the tolerance for floating-point numbers of {@code type}: that of the coarsest type inside the model. */
    double allowed(ElementType type, Tolerances tolerances) {
        double most = Math.max(tolerances.of(type), quantised ? tolerances.quantised() : 0);
        for (ElementType inside : types) {
            most = inside.isFloating() ? Math.max(most, tolerances.of(inside)) : most;
        }
        return most;
    }

    private static final class Search {
        private final Set<ElementType> types = EnumSet.noneOf(ElementType.class);
        private boolean random;
        private boolean quantised;

        void over(Graph graph) {
            graph.inputs().forEach(this::value);
            graph.constants().forEach(this::value);
            for (Node node : graph.nodes()) {
                node(node);
                for (Value output : node.outputs()) {
                    if (output != null) {
                        value(output);
                    }
                }
                node.attributes().graphs().forEach(this::over);
            }
        }

        private void value(Value value) {
            ElementType type = value.elementType();
            if (type != null) {
                types.add(type);
            }
        }

        private void node(Node node) {
            String name = node.op().name();
            random |= Schemas.has(node.op(), Trait.RANDOM) || name.equals("Dropout") && trains(node);
            quantised |= name.contains("Quant")
                    || name.startsWith("QLinear")
                    || name.startsWith("Q") && name.endsWith("Gemm")
                    || name.equals("QAttention")
                    || name.equals("MatMulNBits");
        }

        /** Whether a dropout may drop anything: not if its mode input is omitted or known to be off. */
        private static boolean trains(Node node) {
            Value mode = node.opset() >= 12 ? node.input(2) : null;
            if (node.opset() < 7) {
                return node.attributes().integer("is_test", 0) == 0;
            }
            Tensor known = mode == null ? null : mode.constant();
            return mode != null && (known == null || known.booleans()[0]);
        }
    }
}
