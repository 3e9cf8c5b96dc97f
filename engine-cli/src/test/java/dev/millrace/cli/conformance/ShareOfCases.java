package dev.millrace.cli.conformance;

import dev.millrace.codegen.testing.TestScale;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The ONNX backend cases that the variations of {@link ConformanceIT} run; {@code ConformanceIT} itself runs all of them. */
final class ShareOfCases {
    private ShareOfCases() {}

    /** Returns the share of the cases at any depth below these folders. */
    static List<BackendCase> below(List<Path> folders) throws IOException {
        return BackendCase.find(folders).stream()
                .filter(test -> TestScale.has(test.suite() + "/" + test.name()))
                .toList();
    }
}
