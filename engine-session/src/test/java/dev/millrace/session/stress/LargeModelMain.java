package dev.millrace.session.stress;

import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.TestModels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** Writes a model of many bytes, compiles it, and runs it from its source and from its context model. */
final class LargeModelMain {
    private static final int WIDTH = 4096;
    private static final long LAYER = 4L * WIDTH * WIDTH;

    private LargeModelMain() {}

    public static void main(String[] args) {
        Path folder = Path.of(args[0]);
        int layers = Math.toIntExact(Math.ceilDiv(Long.parseLong(args[1]), LAYER));
        try {
            Path model = write(folder, layers);
            Path target = folder.resolve("large_ctx.onnx");
            try (Engine engine =
                    Engine.create(EngineOptions.builder().threads(1).build())) {
                engine.compiler(CompileOptions.builder()
                                .errorIfNothingCompiled(true)
                                .build())
                        .compile(ModelInput.file(model), ModelOutput.file(target));
            }
            float expected = 1;
            for (int i = 0; i < layers; i++) {
                expected *= factor(i);
            }
            System.out.println("answers " + answer(target) + " where " + expected + " is right");
            System.out.println("from memory " + answerFromMemory(target) + " where " + expected + " is right");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static float factor(int layer) {
        return 1 + layer % 3 / 64f;
    }

    /** Each layer has one number that is not zero, and a file with holes holds them all. */
    private static Path write(Path folder, int layers) throws IOException {
        var editor = new GraphEditor(Graph.named("large"));
        var type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1), Dim.of(WIDTH)));
        Value value = editor.addInput("x", type);
        Path data = folder.resolve("large.data");
        try (Arena arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(
                        data, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            MemorySegment all = channel.map(FileChannel.MapMode.READ_WRITE, 0, layers * LAYER, arena);
            for (int i = 0; i < layers; i++) {
                MemorySegment weights = all.asSlice(i * LAYER, LAYER);
                weights.set(ValueLayout.JAVA_FLOAT, 0, factor(i));
                // so that no two layers are equal, and may lie in one place
                weights.set(ValueLayout.JAVA_FLOAT, LAYER - Float.BYTES, i + 1);
                Value constant =
                        editor.addConstant("w" + i, Tensor.wrap(ElementType.FLOAT, Shape.of(WIDTH, WIDTH), weights));
                value = editor.append(
                                NodeSpec.of(OpId.onnx("MatMul"), TestModels.OPSET, value, constant), List.of("y" + i))
                        .requireOutput(0);
            }
            editor.addOutput("y", value);
            Path model = folder.resolve("large.onnx");
            Models.write(
                    TestModels.model(editor.graph()),
                    model,
                    WriteOptions.placed((name, tensor) ->
                            new DataPlace("large.data", Long.parseLong(name.substring(1)) * LAYER, LAYER)));
            return model;
        }
    }

    private static float answer(Path model) {
        var options = SessionOptions.builder().disableModelCompile(true).build();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session session = engine.session(model, options)) {
            return answer(session);
        }
    }

    /** The model in memory, its binary in the folder that an option names. */
    private static float answerFromMemory(Path model) throws IOException {
        var options =
                SessionOptions.builder().disableModelCompile(true).config("ep.context_file_path", model.toString());
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session session = engine.session(Files.readAllBytes(model), options.build())) {
            return answer(session);
        }
    }

    private static float answer(Session session) {
        float[] x = new float[WIDTH];
        x[0] = 1;
        try (Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(x, 1, WIDTH)))) {
            return outputs.get(0).floats()[0];
        }
    }
}
