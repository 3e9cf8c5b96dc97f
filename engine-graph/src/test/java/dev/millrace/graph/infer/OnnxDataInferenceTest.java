package dev.millrace.graph.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.SchemaCheck;
import dev.millrace.graph.proto.ValueInfoProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("shared")
class OnnxDataInferenceTest {
    /** Operators whose output shapes depend on the elements of their inputs. */
    private static final Set<String> DATA_DEPENDENT = Set.of(
            "NonZero",
            "Unique",
            "Compress",
            "NonMaxSuppression",
            "StringSplit",
            "StringNormalizer",
            "ImageDecoder",
            "Loop",
            "ConcatFromSequence",
            "SequenceMap",
            "SequenceAt",
            "OptionalGetElement");

    @Test
    void everyModelIsInferredAndAgreesWithItsRun() throws IOException {
        var failures = new ArrayList<String>();
        int cases = 0;
        for (OnnxData.Case each : OnnxData.cases("node", "simple", "pytorch-converted", "pytorch-operator", "light")) {
            cases++;
            try {
                Model model = each.model();
                TypeInference.infer(model.graph());
                compare(each, model.graph(), failures);
                failures.addAll(unchecked(each, model.graph()));
            } catch (EngineException | IndexOutOfBoundsException | NullPointerException | ClassCastException e) {
                failures.add(each + ": " + e);
            }
        }
        assertThat(failures).isEmpty();
        assertThat(cases).isEqualTo(1528);
    }

    @Test
    void constantInputsGiveConcreteShapesUnlessTheyDependOnData() throws IOException {
        var failures = new ArrayList<String>();
        Map<String, Set<String>> open = new TreeMap<>();
        int known = 0;
        int cases = 0;
        for (OnnxData.Case each : OnnxData.cases("node")) {
            cases++;
            try {
                Graph graph = forgetful(each.modelOfConstants().graph());
                TypeInference.infer(graph);
                compare(each, graph, failures);
                if (isConcrete(graph)) {
                    known++;
                } else {
                    open.computeIfAbsent(firstOpen(graph), key -> new TreeSet<>())
                            .add(each.toString());
                }
            } catch (EngineException | IndexOutOfBoundsException | NullPointerException | ClassCastException e) {
                failures.add(each + ": " + e);
            }
        }
        System.out.println("node cases whose output shapes are known from constant inputs: " + known + " of " + cases);
        open.forEach((op, names) -> System.out.println("  open in " + op + ": " + names));
        assertThat(failures).isEmpty();
        assertThat(DATA_DEPENDENT).containsAll(open.keySet());
    }

    /** Removes the declared types of node outputs from the graph and returns it. */
    private static Graph forgetful(Graph graph) {
        var editor = new GraphEditor(graph);
        for (Node node : graph.nodes()) {
            for (Value output : node.outputs()) {
                if (output != null) {
                    editor.declare(output, null);
                }
            }
            node.attributes().graphs().forEach(OnnxDataInferenceTest::forgetful);
        }
        return graph;
    }

    private static boolean isConcrete(Graph graph) {
        return graph.outputs().stream().allMatch(output -> isConcrete(output.type()));
    }

    private static boolean isConcrete(@Nullable ValueType type) {
        return switch (type) {
            case null -> false;
            case ValueType.TensorType tensor -> tensor.element() != null && tensor.concreteShape() != null;
            default -> true;
        };
    }

    private static String firstOpen(Graph graph) {
        for (Node node : graph.nodes()) {
            for (Value output : node.outputs()) {
                if (output != null && !isConcrete(output.type())) {
                    return node.op().toString();
                }
            }
        }
        return "?";
    }

    private static List<String> unchecked(OnnxData.Case each, Graph graph) {
        var failures = new ArrayList<String>();
        for (Node node : graph.nodes()) {
            for (String error : SchemaCheck.check(node).errors()) {
                failures.add(each + ": " + error);
            }
            node.attributes().graphs().forEach(nested -> failures.addAll(unchecked(each, nested)));
        }
        return failures;
    }

    private static void compare(OnnxData.Case each, Graph graph, List<String> failures) throws IOException {
        List<ValueInfoProto> declared = each.declaredOutputs();
        for (int i = 0; i < declared.size(); i++) {
            List<Long> run = each.outputShape(i, declared.get(i));
            SymbolicShape shape = graph.outputs().get(i).shape();
            if (run != null && shape != null && !agrees(shape, run)) {
                failures.add(each + ": output " + i + " is inferred as " + shape + " but was " + run);
            }
            ValueType type = graph.outputs().get(i).type();
            int element = declared.get(i).getType().getTensorType().getElemType();
            if (type instanceof ValueType.TensorType tensor
                    && tensor.element() != null
                    && element != 0
                    && tensor.element().code() != element) {
                failures.add(each + ": output " + i + " is inferred as " + tensor + " but declared as type " + element);
            }
        }
    }

    private static boolean agrees(SymbolicShape shape, List<Long> run) {
        if (shape.rank() != run.size()) {
            return false;
        }
        for (int i = 0; i < run.size(); i++) {
            if (shape.dim(i) instanceof Dim.Known known && known.extent() != run.get(i)) {
                return false;
            }
        }
        return true;
    }
}
