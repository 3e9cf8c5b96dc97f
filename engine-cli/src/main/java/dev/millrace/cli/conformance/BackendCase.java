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
                files.sorted().forEach(model -> found.add(of(model)));
            }
        }
        return found;
    }

    private static BackendCase of(Path model) {
        Path folder = model.toAbsolutePath().resolveSibling("").normalize();
        int names = folder.getNameCount();
        String name = names < 1 ? "" : folder.getName(names - 1).toString();
        String suite = names < 2 ? "" : folder.getName(names - 2).toString();
        return new BackendCase(suite, name, folder);
    }
}
