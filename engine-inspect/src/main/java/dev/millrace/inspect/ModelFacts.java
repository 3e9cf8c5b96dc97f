package dev.millrace.inspect;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The facts in a model file, before anything is made of it.
 *
 * @param bytes the size of the file without external data
 * @param operators the number of nodes of each operator, the most frequent first, nested graphs included
 * @param parameters the number of elements of all initializers and constants
 * @param parameterBytes the bytes of these elements
 */
public record ModelFacts(
        Path file,
        long bytes,
        Model model,
        int nodes,
        Map<String, Integer> operators,
        int initializers,
        long parameters,
        long parameterBytes) {

    public ModelFacts {
        operators = Collections.unmodifiableMap(new LinkedHashMap<>(operators));
    }

    public static ModelFacts of(Path file) throws IOException {
        Model model = Models.read(file);
        var count = new Count();
        count.add(model.graph());
        var operators = new LinkedHashMap<String, Integer>();
        count.operators.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .forEach(entry -> operators.put(entry.getKey(), entry.getValue()));
        return new ModelFacts(
                file,
                Files.size(file),
                model,
                count.nodes,
                operators,
                count.initializers,
                count.parameters,
                count.parameterBytes);
    }

    /** Returns the facts with the name of the file alone, without its folders. */
    public ModelFacts withoutFolders() {
        return new ModelFacts(
                Path.of(String.valueOf(file.getFileName())),
                bytes,
                model,
                nodes,
                operators,
                initializers,
                parameters,
                parameterBytes);
    }

    private static final class Count {
        private static final OpId CONSTANT = OpId.onnx("Constant");

        private final Map<String, Integer> operators = new LinkedHashMap<>();
        private int nodes;
        private int initializers;
        private long parameters;
        private long parameterBytes;

        void add(Graph graph) {
            for (Value constant : graph.constants()) {
                initializers++;
                add(constant.constant());
            }
            for (Node node : graph.nodes()) {
                nodes++;
                operators.merge(node.op().toString(), 1, Integer::sum);
                node.attributes().graphs().forEach(this::add);
                if (node.op().equals(CONSTANT)
                        && node.attributes().find("value") instanceof Attribute.TensorValue held) {
                    add(held.value());
                }
            }
        }

        private void add(@Nullable Tensor tensor) {
            if (tensor != null) {
                parameters += tensor.elements();
                parameterBytes += tensor.type().bytes(tensor.elements());
            }
        }
    }

    /** Returns the name of a domain of operators; that of ONNX is empty in files. */
    public static String domain(String domain) {
        return domain.equals(OpId.ONNX) ? "ai.onnx" : domain;
    }
}
