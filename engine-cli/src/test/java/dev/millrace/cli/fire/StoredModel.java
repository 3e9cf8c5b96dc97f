package dev.millrace.cli.fire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** A model of others, from a folder beside the checkout. */
record StoredModel(Path file) {
    private static final List<String> FOLDERS = List.of("shared/onnx-data", "shared/corpus");
    private static final long LARGEST = 200_000;

    /** The models that are small enough, in a fixed order; where there are none, the test that asks is skipped. */
    static List<StoredModel> all() throws IOException {
        Path start = Path.of("").toAbsolutePath();
        for (Path place = start; place != null; place = place.getParent()) {
            List<Path> folders = FOLDERS.stream()
                    .map(place::resolve)
                    .filter(Files::isDirectory)
                    .toList();
            if (!folders.isEmpty()) {
                return in(folders);
            }
        }
        return Assumptions.abort("neither of " + FOLDERS + " is in " + start + " or above it");
    }

    private static List<StoredModel> in(List<Path> folders) throws IOException {
        var models = new ArrayList<StoredModel>();
        for (Path folder : folders) {
            try (var files = Files.walk(folder)) {
                files.filter(file -> file.toString().endsWith(".onnx"))
                        .filter(file -> file.toFile().length() <= LARGEST)
                        .sorted()
                        .forEach(file -> models.add(new StoredModel(file)));
            }
        }
        return models;
    }

    String name() {
        int names = file.getNameCount();
        return file.subpath(Math.max(0, names - 3), names).toString();
    }

    byte[] bytes() {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
