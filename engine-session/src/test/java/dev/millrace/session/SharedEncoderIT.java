package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two models of one encoder: for two lengths of text, and with a head behind it. */
class SharedEncoderIT {
    private static final List<Integer> LENGTHS = List.of(64, 128);
    /** The smallest matrix that is packed. */
    private static final long MATRIX = 384L * 384 * Float.BYTES;

    private static final int HIDDEN = 384;
    private static final int CLASSES = 10;

    @TempDir
    private Path folder = Path.of("");

    private final List<Long> kept = new ArrayList<>();

    private Engine engine() {
        return TestEngines.listened(MATRIX, kept);
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

    /** MiniLM as it is, in the test's folder. */
    private Path plain() throws IOException {
        return Files.copy(MiniLm.file(), folder.resolve("minilm.onnx"));
    }

    /** MiniLM merged with a head: classes of the first token's vector. */
    private Path withHead() throws IOException {
        Model model = Models.read(MiniLm.file());
        var editor = new GraphEditor(model.graph());
        int opset = Objects.requireNonNull(model.opsets().get(OpId.ONNX));
        float[] numbers = new float[HIDDEN * CLASSES];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (i % 13 - 6) / 32f;
        }
        Value first = editor.addConstant("head.first", Tensor.scalar(0L));
        Value weights = editor.addConstant("head.weight", Tensor.copyOf(numbers, HIDDEN, CLASSES));
        Value bias = editor.addConstant("head.bias", Tensor.copyOf(new float[CLASSES], CLASSES));
        NodeSpec token = NodeSpec.of(
                        OpId.onnx("Gather"), opset, model.graph().outputs().getFirst(), first)
                .with("axis", Attribute.of(1));
        Value vector = editor.append(token, List.of("head.token")).requireOutput(0);
        Value product = editor.append(NodeSpec.of(OpId.onnx("MatMul"), opset, vector, weights), List.of("head.product"))
                .requireOutput(0);
        Value classes = editor.append(NodeSpec.of(OpId.onnx("Add"), opset, product, bias), List.of("head.classes"))
                .requireOutput(0);
        editor.addOutput("classes", classes);
        Path file = folder.resolve("minilm_head.onnx");
        Models.write(model, file, WriteOptions.inline());
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
            return outputs.get(session.outputs().size() - 1).floats();
        }
    }

    /** Compiles models into one binary: N + 1 files, as large as one of them, the second of which packs nothing anew. */
    private void assertShared(List<Path> models) throws IOException {
        long largest = 0;
        for (Path model : models) {
            largest = Math.max(largest, alone(model));
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
            assertThat(group.write())
                    .containsExactlyElementsOf(
                            models.stream().map(SharedEncoderIT::compiled).toList());
        }
        Path binary = folder.resolve(stem(models.getFirst()) + "_simd.bin");
        System.out.printf(
                "%s: %d KiB together, %d KiB the largest alone%n",
                models.stream().map(SharedEncoderIT::stem).toList(), Files.size(binary) >> 10, largest >> 10);
        assertThat(Files.size(binary)).isLessThanOrEqualTo(largest * 105 / 100);
        try (Stream<Path> all = Files.list(folder)) {
            assertThat(all.filter(file -> file.toString().contains("_ctx")
                                    || file.toString().endsWith(".bin"))
                            .filter(file -> !file.endsWith("weights.bin")))
                    .hasSize(models.size() + 1);
        }
    }

    private static String stem(Path model) {
        return model.getFileName().toString().replace(".onnx", "");
    }

    private static Path compiled(Path model) {
        return model.resolveSibling(stem(model) + "_ctx.onnx");
    }

    @Test
    void modelsOfOneEncoderHaveOneBinaryAndTheSecondPacksNothing() throws IOException {
        var models = new ArrayList<Path>();
        for (int tokens : LENGTHS) {
            models.add(model(tokens));
        }
        assertShared(models);
        try (Engine engine = engine()) {
            for (int i = 0; i < models.size(); i++) {
                int tokens = LENGTHS.get(i);
                assertThat(answer(engine, compiled(models.get(i)), tokens))
                        .containsExactly(answer(engine, models.get(i), tokens));
            }
        }
    }

    @Test
    void anEncoderAndItWithAHeadHaveOneBinaryAndTheSecondPacksNothing() throws IOException {
        List<Path> models = List.of(plain(), withHead());
        assertShared(models);
        try (Engine engine = engine()) {
            for (Path model : models) {
                assertThat(answer(engine, compiled(model), 16)).containsExactly(answer(engine, model, 16));
            }
        }
    }
}
