package dev.millrace.providers.testkit;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.lower.Lowerings;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** ONNX's single-operator test cases, run by providers. Each is a small model with inputs and expected outputs. */
public final class NodeCases {
    private static final String FOLDER = "shared/onnx-data/node";

    private final Path folder;
    private final List<ExecutionProvider> providers;
    private final GraphRun run;

    public NodeCases(Path folder, List<ExecutionProvider> providers) {
        this(folder, providers, NestedRun::run);
    }

    private NodeCases(Path folder, List<ExecutionProvider> providers, GraphRun run) {
        this.folder = folder;
        this.providers = List.copyOf(providers);
        this.run = run;
    }

    /** Runs the graph of a case. */
    @FunctionalInterface
    public interface GraphRun {
        List<Datum> run(Graph graph, List<Datum> inputs, KernelFactory kernels);
    }

    /** Returns the same cases, run in another way than by {@link NestedRun}. */
    public NodeCases by(GraphRun other) {
        return new NodeCases(folder, providers, other);
    }

    /**
     * The cases of the folder {@value FOLDER} here or in a parent folder. Where there is none, the calling test is
     * skipped.
     */
    public static NodeCases of(ExecutionProvider... providers) {
        return new NodeCases(folder(), List.of(providers));
    }

    private static Path folder() {
        Path start = Path.of("").toAbsolutePath();
        for (Path place = start; place != null; place = place.getParent()) {
            Path folder = place.resolve(FOLDER);
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        return Assumptions.abort("there is no " + FOLDER + " in " + start + " or above it");
    }

    public List<String> names() throws IOException {
        try (var entries = Files.list(folder)) {
            return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
        }
    }

    /** Whether the providers claim every node of the lowered case and have a kernel for it. */
    public boolean isSupported(String name) {
        try {
            Graph graph = graph(name);
            var kernels = ProviderKernels.of(graph, providers);
            for (Node node : graph.nodes()) {
                if (kernels.create(node) == null) {
                    return false;
                }
            }
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Whether {@code provider}, which is one of the running providers, fuses some nodes of the case. */
    public boolean isFused(String name, ExecutionProvider provider) {
        try {
            return !ProviderKernels.of(graph(name), providers).fusedBy(provider).isEmpty();
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Returns one line for each of these cases that fails or does not exist. */
    public List<String> failures(Collection<String> names) {
        var failures = new ArrayList<String>();
        for (String name : names) {
            String difference = outcome(name);
            if (difference != null) {
                failures.add(name + ": " + difference);
            }
        }
        return failures;
    }

    private @Nullable String outcome(String name) {
        try {
            return run(name);
        } catch (RuntimeException | AssertionError e) {
            return e.toString();
        }
    }

    /** Runs a case. Returns the first difference from its expected outputs, or null where there is none. */
    public @Nullable String run(String name) {
        Graph graph = graph(name);
        List<Datum> inputs = data(name, "input", graph.inputs());
        return difference(name, run.run(graph, inputs, ProviderKernels.of(graph, providers)));
    }

    /** The file of a case's model. */
    public Path model(String name) {
        return folder.resolve(name).resolve("model.onnx");
    }

    /** The inputs of a case, in the order of its model. */
    public List<Datum> inputs(String name) {
        return data(name, "input", graph(name).inputs());
    }

    /** Returns the first difference of outputs from those that a case expects, or null where there is none. */
    public @Nullable String difference(String name, List<? extends @Nullable Datum> outputs) {
        List<Datum> expected = data(name, "output", graph(name).outputs());
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

    private Graph graph(String name) {
        Graph graph = Models.read(model(name)).graph();
        TypeInference.infer(graph);
        if (Lowerings.lower(graph)) {
            TypeInference.infer(graph);
        }
        return graph;
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
