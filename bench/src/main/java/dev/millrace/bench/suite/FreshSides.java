package dev.millrace.bench.suite;

import dev.millrace.bench.compare.FreshProcess;
import dev.millrace.bench.compare.RawInputs;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Fresh processes of both sides that run the same case.
 *
 * @param inputs the file that both read, deleted on close
 * @param extents of the inputs that the model leaves open and has a name for, as ONNX Runtime takes them: {@code batch=1}
 * @param told whether the creation of a session is told what inputs will come
 */
record FreshSides(Path model, Path inputs, int threads, List<String> providers, List<String> extents, boolean told)
        implements AutoCloseable {
    private static final long SEED = 1;

    static FreshSides of(SuiteCase test, int threads, List<String> providers, boolean told) throws Exception {
        ModelArgument model = test.model().get();
        Graph graph = Models.read(model.file()).graph();
        List<ValueInfo> declared = graph.inputs().stream()
                .map(input -> new ValueInfo(input.name(), input.type(), graph.defaultOf(input) != null))
                .toList();
        Inputs made = new InputMaker(model.known(), test.shapes(), SEED).make(declared);
        Path file = Files.createTempFile("millrace-inputs", ".bin");
        RawInputs.write(file, made);
        return new FreshSides(model.file(), file, threads, providers, extents(graph, made), told);
    }

    private static List<String> extents(Graph graph, Inputs made) {
        var extents = new LinkedHashSet<String>();
        for (Value input : graph.inputs()) {
            SymbolicShape shape = input.shape();
            if (shape == null || !(made.input(input.name()) instanceof Tensor tensor)) {
                continue;
            }
            for (int i = 0; i < shape.rank(); i++) {
                if (shape.dim(i) instanceof Dim.Symbol(String name)) {
                    extents.add(name + "=" + tensor.shape().dim(i));
                }
            }
        }
        return List.copyOf(extents);
    }

    /**
     * @param sessions how many are open at once
     * @param runs of each session after the first
     */
    FreshProcess ours(int sessions, int runs) {
        return ours(sessions, runs, "-");
    }

    /** One first run of a session whose engine keeps what it compiles in a folder. */
    FreshProcess ours(Path contextCache) {
        return ours(1, 0, contextCache);
    }

    private FreshProcess ours(int sessions, int runs, Object contextCache) {
        var arguments = new ArrayList<Object>(List.of(model, inputs, threads, sessions, runs, contextCache, told));
        arguments.addAll(providers);
        return new FreshProcess(FirstRun.class, arguments.toArray());
    }

    FreshProcess reference(int sessions, int runs) {
        var arguments = new ArrayList<Object>(List.of(model, inputs, threads, sessions, runs));
        if (told) {
            arguments.addAll(extents);
        }
        return new FreshProcess(FirstOnnxRuntimeRun.class, arguments.toArray());
    }

    @Override
    public void close() throws IOException {
        Files.delete(inputs);
    }
}
