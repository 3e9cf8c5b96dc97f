package dev.millrace.bench.suite;

import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.ModelCache;
import dev.millrace.graph.EngineException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;

/**
 * The folders that models come from.
 *
 * @param light the folder of the ONNX backend's {@code light_} models
 * @param built where built models are kept
 */
record ModelSources(Path light, Path built) {
    /** Beside a checkout of this repository. */
    static final Path USUAL_LIGHT = Path.of("..", "shared", "onnx-data", "light");

    static ModelSources of(Path light) {
        return new ModelSources(light, ModelCache.ofUser().folder().resolveSibling("built"));
    }

    /** A model that {@code models} lists. */
    SuiteModel known(String name) {
        return () -> {
            try {
                return ModelArgument.of(name);
            } catch (EngineException e) {
                throw new AbsentModel(String.valueOf(e.getMessage()));
            }
        };
    }

    SuiteModel light(String name) {
        return () -> {
            Path file = light.resolve("light_" + name).resolve("model.onnx");
            if (!Files.isRegularFile(file)) {
                throw new AbsentModel("there is no " + file + "; name the folder of the light models with --light");
            }
            return new ModelArgument(name, file, null);
        };
    }

    /** A model that is built once; another {@code name} builds another. */
    SuiteModel built(String name, Callable<byte[]> bytes) {
        return () -> {
            Path file = built.resolve(name + ".onnx");
            if (!Files.isRegularFile(file)) {
                Files.createDirectories(built);
                Path part = Files.createTempFile(built, name, ".part");
                try {
                    Files.write(part, bytes.call());
                    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    Files.deleteIfExists(part);
                }
            }
            return new ModelArgument(name, file, null);
        };
    }
}
