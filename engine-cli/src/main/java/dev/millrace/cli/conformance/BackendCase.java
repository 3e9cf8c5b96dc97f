package dev.millrace.cli.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A folder with a model and data sets, as the ONNX backend tests have them. */
public record BackendCase(String suite, String name, Path folder) {
    public Path model() {
        return folder.resolve("model.onnx");
    }

    /** The folders of inputs and expected outputs. */
    public List<Path> dataSets() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith("test_data_set_"))
                    .sorted()
                    .toList();
        }
    }

    /** The cases at any depth below these folders, each folder's in the order of their names. */
    public static List<BackendCase> find(List<Path> folders) throws IOException {
        var found = new ArrayList<BackendCase>();
        for (Path folder : folders) {
            try (Stream<Path> files = Files.find(
                    folder, 32, (file, attributes) -> file.endsWith("model.onnx") && attributes.isRegularFile())) {
                files.sorted().forEach(model -> found.add(of(model.toAbsolutePath().getParent())));
            }
        }
        return found;
    }

    private static BackendCase of(Path folder) {
        Path parent = folder.getParent();
        Path suite = parent == null ? null : parent.getFileName();
        Path name = folder.getFileName();
        return new BackendCase(suite == null ? "" : suite.toString(), name == null ? "" : name.toString(), folder);
    }
}
