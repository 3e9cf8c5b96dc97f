package dev.millrace.bench.serve;

import dev.millrace.bench.compare.RawInputs;
import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.model.UsualShapes;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Graph;
import dev.millrace.session.ValueInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Models that are served, each with inputs.
 *
 * @param scratch where the inputs are, deleted on close
 */
record ServedModels(List<ServedFiles> files, ScratchFolder scratch) implements AutoCloseable {
    private static final long SEED = 1;

    /** Sizes that a service would see, where the model itself would also take others. */
    private static final Map<String, Map<String, long[]>> SHAPES =
            Map.of("minilm", UsualShapes.tokens(1, 32), "ppocr-rec", UsualShapes.images(1, 48, 320));

    /** @param names files, or names that {@code models} lists */
    static ServedModels of(List<String> names) throws IOException {
        var scratch = new ScratchFolder("millrace-serve");
        var files = new ArrayList<ServedFiles>();
        for (String name : names) {
            ModelArgument model = ModelArgument.of(name);
            Path inputs = scratch.path().resolve("inputs" + files.size());
            Graph graph = Models.read(model.file()).graph();
            List<ValueInfo> declared = graph.inputs().stream()
                    .map(input -> new ValueInfo(input.name(), input.type(), graph.defaultOf(input) != null))
                    .toList();
            RawInputs.write(
                    inputs, new InputMaker(model.known(), SHAPES.getOrDefault(name, Map.of()), SEED).make(declared));
            files.add(new ServedFiles(model.file(), inputs));
        }
        return new ServedModels(List.copyOf(files), scratch);
    }

    @Override
    public void close() throws IOException {
        scratch.close();
    }
}
