package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Files of a model that a request brought, in a temporary folder that only the owner may read.
 *
 * @param root the temporary folder
 * @param model the model's folder in it
 */
record OverrideFiles(Path root, Path model) {
    private static final Pattern NAME = Pattern.compile("[^/\\\\\\p{Cntrl}]+");

    /** Writes the files, whose names are paths below the model's folder. */
    static OverrideFiles write(String model, Map<String, byte[]> files) {
        if (!NAME.matcher(model).matches() || model.startsWith(".")) {
            throw EngineException.invalidArgument("'" + model
                    + "' is no name of a model: it has a slash or a control character, or begins with a dot");
        }
        Path root = null;
        try {
            root = Files.createTempDirectory("millrace-model");
            Path folder = root.resolve("model");
            for (Map.Entry<String, byte[]> each : files.entrySet()) {
                Path file = place(folder, each.getKey());
                Files.createDirectories(file.getParent());
                Files.write(file, each.getValue());
            }
            return new OverrideFiles(root, folder);
        } catch (IOException | RuntimeException e) {
            if (root != null) {
                delete(root);
            }
            throw e instanceof EngineException known
                    ? known.at("model '" + model + "'")
                    : new EngineException(Status.FAIL, "the files of model '" + model + "' cannot be written: " + e, e);
        }
    }

    private static Path place(Path folder, String name) {
        Path file;
        try {
            file = folder.resolve(name).normalize();
        } catch (InvalidPathException e) {
            throw new EngineException(Status.INVALID_ARGUMENT, "file '" + name + "' has no possible name", e);
        }
        if (name.isEmpty() || !file.startsWith(folder) || file.equals(folder)) {
            throw EngineException.invalidArgument("file '" + name + "' lies outside of the model's folder");
        }
        return file;
    }

    /** Deletes the files of a model, or any other folder. What cannot be deleted stays. */
    static void delete(Path folder) {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.sorted(Comparator.reverseOrder()).toList();
        } catch (IOException e) {
            return;
        }
        for (Path each : all) {
            try {
                Files.delete(each);
            } catch (IOException e) {
                System.getLogger(OverrideFiles.class.getName())
                        .log(System.Logger.Level.WARNING, "{0} cannot be deleted: {1}", each, e);
            }
        }
    }
}
