package dev.millrace.bench.agree;

import dev.millrace.cli.ModelArgument;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The models that a command line means: files, names of known models, and all {@code .onnx} files below folders. */
final class ModelFileList {
    private static final int DEEPEST = 64;

    private ModelFileList() {}

    static List<Path> of(List<String> arguments) throws IOException {
        Set<Path> files = new LinkedHashSet<>();
        for (String argument : arguments) {
            if (Files.isDirectory(Path.of(argument))) {
                files.addAll(below(Path.of(argument)));
            } else {
                files.add(model(argument));
            }
        }
        return List.copyOf(files);
    }

    private static List<Path> below(Path folder) throws IOException {
        try (Stream<Path> files = Files.find(
                folder,
                DEEPEST,
                (file, attributes) ->
                        attributes.isRegularFile() && file.toString().endsWith(".onnx"))) {
            List<Path> found = files.sorted().toList();
            if (found.isEmpty()) {
                throw EngineException.invalidArgument("there is no .onnx file below " + folder.toAbsolutePath());
            }
            return found;
        }
    }

    private static Path model(String argument) throws IOException {
        Path file = ModelArgument.of(argument).file();
        if (!Files.isRegularFile(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no model file or folder " + file.toAbsolutePath());
        }
        if (!startsAsModel(file)) {
            throw new EngineException(Status.NO_MODEL, file + " is no ONNX model");
        }
        return file;
    }

    /** Whether the first byte can be that of a {@code ModelProto}: one of its fields, with the field's kind. */
    private static boolean startsAsModel(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            int first = in.read();
            int field = first >> 3;
            int kind = first & 7;
            boolean number = field == 1 || field == 5;
            boolean message = field >= 2 && field <= 8 && field != 5 || field == 14;
            // numbers of fields beyond 15 take two bytes
            boolean far = first >= 0x80 && kind == 2;
            return first >= 0 && (number && kind == 0 || message && kind == 2 || far);
        }
    }
}
