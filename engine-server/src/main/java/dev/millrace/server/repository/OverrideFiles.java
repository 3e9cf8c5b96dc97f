package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Files of a model that a request brought, in a temporary folder that only the owner may read.
 *
 * @param root the temporary folder
 * @param model the model's folder in it
 */
record OverrideFiles(Path root, Path model) {
    /** Writes the files, whose names are paths below the model's folder. */
    static OverrideFiles write(String model, Map<String, byte[]> files) {
        try {
            Path root = Files.createTempDirectory("millrace-model");
            Path folder = root.resolve("model");
            for (Map.Entry<String, byte[]> each : files.entrySet()) {
                Path file = folder.resolve(each.getKey()).normalize();
                if (each.getKey().isEmpty() || !file.startsWith(folder) || file.equals(folder)) {
                    delete(root);
                    throw EngineException.invalidArgument(
                            "file '" + each.getKey() + "' of model '" + model + "' lies outside of the model's folder");
                }
                Files.createDirectories(file.getParent());
                Files.write(file, each.getValue());
            }
            return new OverrideFiles(root, folder);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "the files of model '" + model + "' cannot be written: " + e, e);
        }
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
