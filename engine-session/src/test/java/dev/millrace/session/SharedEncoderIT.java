package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.spi.ProviderFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two models of one encoder, for two lengths of text. */
class SharedEncoderIT {
    private static final List<Integer> LENGTHS = List.of(64, 128);
    /** The smallest matrix that is packed. */
    private static final long MATRIX = 384L * 384 * Float.BYTES;

    @TempDir
    private Path folder = Path.of("");

    private final List<Long> kept = new ArrayList<>();

    private Engine engine() {
        var providers = new ArrayList<ProviderFactory>();
        ServiceLoader.load(ProviderFactory.class)
                .forEach(each -> providers.add(new ListenedFactory(each, MATRIX, kept)));
        return Engine.create(EngineOptions.defaults().withThreads(1), providers);
    }

    /** MiniLM for texts of one length, with its weights in the file that all have in common. */
    private Path model(int tokens) throws IOException {
        Model model = Models.read(MiniLm.file());
        var editor = new GraphEditor(model.graph());
        for (Value input : model.graph().inputs()) {
            editor.setType(input, ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.of(1), Dim.of(tokens))));
        }
        Path file = folder.resolve("minilm" + tokens + ".onnx");
        Path part = Files.createDirectory(folder.resolve("part"));
        Models.write(model, part.resolve(file.getFileName()), WriteOptions.externalData("weights.bin", 1024));
        Files.move(part.resolve(file.getFileName()), file);
        Path weights = folder.resolve("weights.bin");
        if (Files.exists(weights)) {
            assertThat(part.resolve("weights.bin")).hasSameBinaryContentAs(weights);
            Files.delete(part.resolve("weights.bin"));
        } else {
            Files.move(part.resolve("weights.bin"), weights);
        }
        Files.delete(part);
        return file;
    }

    private static SessionOptions options(EpContextOptions.Builder context) {
        return SessionOptions.builder().epContext(context.enable(true).build()).build();
    }

    private long alone(Path model) throws IOException {
        Path own = Files.createDirectory(folder.resolve("alone" + model.getFileName()));
        try (Engine engine = engine()) {
            engine.session(model, options(EpContextOptions.builder().filePath(own.resolve("minilm_ctx.onnx"))))
                    .close();
        }
        return Files.size(own.resolve("minilm_simd.bin"));
    }

    private static float[] answer(Engine engine, Path model, int tokens) {
        try (Session session = engine.session(model);
                Outputs outputs = session.run(MiniLm.inputs(1, tokens, tokens))) {
            return outputs.get(0).floats();
        }
    }

    @Test
    void modelsOfOneEncoderHaveOneBinaryAndTheSecondPacksNothing() throws IOException {
        var models = new ArrayList<Path>();
        long largest = 0;
        for (int tokens : LENGTHS) {
            models.add(model(tokens));
            largest = Math.max(largest, alone(models.getLast()));
        }
        try (Engine engine = engine();
                ContextGroup group = ContextGroup.create()) {
            List<Long> first = List.of();
            for (Path model : models) {
                kept.clear();
                engine.session(model, options(EpContextOptions.builder().group(group)))
                        .close();
                System.gc();
                if (first.isEmpty()) {
                    first = List.copyOf(kept);
                }
            }
            assertThat(first).isNotEmpty().containsAll(kept);
            group.write();
        }
        Path binary = folder.resolve("minilm64_simd.bin");
        System.out.printf(
                "MiniLM for %s tokens: %d KiB together, %d KiB the largest alone%n",
                LENGTHS, Files.size(binary) >> 10, largest >> 10);
        assertThat(Files.size(binary)).isLessThanOrEqualTo(largest * 105 / 100);
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all.filter(file -> file.toString().contains("_"))).hasSize(LENGTHS.size() + 1);
        }
        try (Engine engine = engine()) {
            for (int tokens : LENGTHS) {
                assertThat(answer(engine, folder.resolve("minilm" + tokens + "_ctx.onnx"), tokens))
                        .containsExactly(answer(engine, folder.resolve("minilm" + tokens + ".onnx"), tokens));
            }
        }
    }
}
