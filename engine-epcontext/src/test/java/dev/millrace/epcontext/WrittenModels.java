package dev.millrace.epcontext;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** A base of tests that compile models, write them to a temporary folder, and read them again. */
abstract class WrittenModels {
    static final FakeProvider FAST = FakeProvider.fusing("fast", "Relu", "Mul");

    @TempDir
    Path folder;

    static EpContextOptions.Builder enabled() {
        return EpContextOptions.builder().enable(true);
    }

    Model source(Graph graph) {
        Path file = folder.resolve("net.onnx");
        Models.write(Fixtures.model(graph, null), file, WriteOptions.inline());
        return Models.read(file);
    }

    static Partitioning share(Model model, FakeProvider... providers) {
        var all = new ArrayList<ExecutionProvider>(List.of(providers));
        all.add(FakeProvider.plain());
        return Partitioner.partition(model.graph(), all, model.stem());
    }

    /** Writes a context model, or nothing if nothing was compiled. */
    static Path write(CompiledModel compiled, EpContextOptions options) {
        ContextOutput output = ContextOutputs.of(options, compiled.model());
        output.check(compiled.model());
        ContextModelWriter.write(compiled, output);
        return output.requireModel();
    }

    /**
     * Does what a session does: partitions the model, compiles, writes the context model; and
     * returns it as read from the disk.
     */
    Model compile(Model model, EpContextOptions options, FakeProvider... providers) {
        Partitioning parts = share(model, providers);
        return Models.read(write(new CompiledModel(model, parts, FakeProvider.keepAll(parts), Map.of()), options));
    }

    List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
