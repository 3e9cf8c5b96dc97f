package dev.millrace.example.spark;

import dev.millrace.session.Engine;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The model of an executor: one engine for all tasks of the process, which opens each model once and ends with the process. */
final class ExecutorModel {
    private static final Map<String, Embedder> OPEN = new ConcurrentHashMap<>();

    private ExecutorModel() {}

    /** The engine, created by the first task. Its threads serve every task. */
    private static final class Shared {
        static final Engine ENGINE = Engine.create();
    }

    /** Returns the embedder of a folder with {@code model.onnx} and {@code tokenizer.json}. */
    static Embedder of(String folder) {
        return OPEN.computeIfAbsent(folder, _ -> {
            Path place = Path.of(folder);
            return Embedder.of(
                    Shared.ENGINE.session(place.resolve("model.onnx")),
                    Tokenizer.read(place.resolve("tokenizer.json")).paddedTo(0));
        });
    }
}
