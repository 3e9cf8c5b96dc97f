package dev.millrace.providers.cpu;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** ONNX's single-operator cases: a small model, its inputs, and the outputs that it must give. */
final class NodeCases {
    private final Path folder;
    private final KernelFactory kernels;

    NodeCases(Path folder, KernelFactory kernels) {
        this.folder = folder;
        this.kernels = kernels;
    }

    /** The folder of the cases beside this repository, which may be absent. */
    static Path folder() {
        Path here = Path.of("").toAbsolutePath();
        while (here != null && !Files.isDirectory(here.resolve("shared/onnx-data/node"))) {
            here = here.getParent();
        }
        return here == null ? Path.of("shared/onnx-data/node") : here.resolve("shared/onnx-data/node");
    }

    List<String> names() throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    /** Whether there is a kernel for each node of the case. */
    boolean isSupported(String name) {
        try {
            for (Node node : graph(name).nodes()) {
                if (kernels.create(node) == null) {
                    return false;
                }
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    private Graph graph(String name) {
        return Models.read(folder.resolve(name).resolve("model.onnx")).graph();
    }

    /** Runs a case; says what differs from what it expects, or null where nothing does. */
    @Nullable
    String run(String name) {
        Graph graph = graph(name);
        List<Datum> outputs = outputs(graph, data(name, "input", graph.inputs()));
        List<Datum> expected = data(name, "output", graph.outputs());
        if (outputs.size() != expected.size()) {
            return outputs.size() + " outputs, expected " + expected.size();
        }
        for (int i = 0; i < expected.size(); i++) {
            String difference = Differences.find(outputs.get(i), expected.get(i));
            if (difference != null) {
                return "output " + i + ": " + difference;
            }
        }
        return null;
    }

    private List<Datum> outputs(Graph graph, List<Datum> inputs) {
        Map<Value, Datum> values = new HashMap<>();
        for (Value constant : graph.constants()) {
            Tensor tensor = constant.constant();
            if (tensor != null) {
                values.put(constant, tensor);
            }
        }
        for (int i = 0; i < graph.inputs().size(); i++) {
            Value input = graph.inputs().get(i);
            Tensor otherwise = graph.defaultOf(input);
            if (i < inputs.size()) {
                values.put(input, inputs.get(i));
            } else if (otherwise != null) {
                values.put(input, otherwise);
            }
        }
        for (Node node : graph.nodes()) {
            Kernel kernel = kernels.create(node);
            if (kernel == null) {
                throw new AssertionError("no kernel for " + node.describe());
            }
            List<@Nullable Datum> arguments = new ArrayList<>();
            for (Value input : node.inputs()) {
                arguments.add(input == null ? null : values.get(input));
            }
            List<@Nullable Datum> results = DirectRun.run(kernel, node, arguments);
            for (int i = 0; i < results.size(); i++) {
                Value output = node.output(i);
                Datum result = results.get(i);
                if (output != null && result != null) {
                    values.put(output, result);
                }
            }
        }
        return graph.outputs().stream().map(values::get).toList();
    }

    private List<Datum> data(String name, String kind, List<Value> values) {
        var data = new ArrayList<Datum>();
        Path set = folder.resolve(name).resolve("test_data_set_0");
        for (Value value : values) {
            Path file = set.resolve(kind + "_" + data.size() + ".pb");
            ValueType type = value.type();
            if (!Files.exists(file) || type == null) {
                break;
            }
            data.add(Tensors.readDatum(file, type));
        }
        return data;
    }
}
