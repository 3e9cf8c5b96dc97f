package dev.millrace.djl;

import ai.djl.BaseModel;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOption;
import dev.millrace.session.SessionOptions;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A model of DJL: an ONNX file, opened as a session. */
final class DjlModel extends BaseModel {
    private static final String ENDING = ".onnx";
    /** The beginning of options of DJL that are options of the session. */
    private static final String OPTION = "millrace.";

    private final Engine engine;

    DjlModel(String name, NDManager manager, Engine engine) {
        super(name);
        this.manager = manager;
        this.engine = engine;
        manager.setName("model");
        dataType = DataType.FLOAT32;
    }

    @Override
    public void load(Path path, @Nullable String prefix, @Nullable Map<String, ?> options) throws IOException {
        requireNew();
        boolean isFile = Files.isRegularFile(path);
        setModelDir(isFile ? Objects.requireNonNull(path.toAbsolutePath().getParent()) : path);
        Path file = isFile ? path : find(path, prefix == null ? modelName : prefix);
        open(engine.session(file, sessionOptions(options)));
    }

    @Override
    public void load(InputStream content, @Nullable Map<String, ?> options) throws IOException {
        requireNew();
        modelDir = Files.createTempDirectory("millrace-djl");
        modelDir.toFile().deleteOnExit();
        open(engine.session(content.readAllBytes(), sessionOptions(options)));
    }

    private void requireNew() {
        if (block != null) {
            throw new UnsupportedOperationException("the engine Millrace has no blocks of DJL; it runs ONNX models");
        }
        wasLoaded = true;
    }

    private void open(Session session) {
        block = new DjlSymbolBlock(session, (DjlManager) manager);
        manager.attachUncappedInternal(UUID.randomUUID().toString(), session);
    }

    /** Returns the file of a prefix, or one with a usual name, or the only one. */
    private static Path find(Path folder, String prefix) throws IOException {
        var names =
                new LinkedHashSet<>(List.of(prefix, prefix + ENDING, "model" + ENDING, folder.getFileName() + ENDING));
        for (String name : names) {
            if (name.endsWith(ENDING) && Files.isRegularFile(folder.resolve(name))) {
                return folder.resolve(name);
            }
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> models =
                    files.filter(file -> file.toString().endsWith(ENDING)).toList();
            if (models.size() == 1) {
                return models.getFirst();
            }
            throw new FileNotFoundException("there is no file of " + names + " in " + folder + ", and "
                    + (models.isEmpty() ? "no other ONNX file" : "more than one ONNX file"));
        }
    }

    /** Reads options. Those of ONNX Runtime's engine, except for the number of threads, change nothing here. */
    private static SessionOptions sessionOptions(@Nullable Map<String, ?> options) {
        SessionOptions.Builder builder = SessionOptions.builder();
        if (options != null) {
            options.forEach((key, value) -> {
                if (key.startsWith(OPTION)) {
                    builder.set(key.substring(OPTION.length()), String.valueOf(value));
                } else if (key.equals("intraOpNumThreads")) {
                    builder.set(SessionOption.THREADS.name(), String.valueOf(value));
                }
            });
        }
        return builder.build();
    }
}
