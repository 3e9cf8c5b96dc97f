package dev.millrace.bench.suite;

import dev.millrace.cli.UsageException;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The flags of every command that goes through the cases of the suite. */
final class SuiteFlags {
    @Option(
            names = "--only",
            paramLabel = "FILTER",
            description = "Parts of group and name, separated by commas; cases with any of them are measured.",
            defaultValue = "")
    private String only = "";

    @Option(
            names = "--light",
            paramLabel = "DIR",
            description = "The folder of the ONNX backend's light_* models (default: ../shared/onnx-data/light).")
    private Path light = ModelSources.USUAL_LIGHT;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "How many threads each side has; several numbers with commas (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private List<Integer> threads = new ArrayList<>();

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            split = ",",
            description = "A provider to use, in the order in which they are asked; by default all there are.")
    private List<String> providers = new ArrayList<>();

    List<SuiteCase> cases() {
        List<SuiteCase> cases = SuiteCases.all(ModelSources.of(light)).stream()
                .filter(test -> test.matches(only))
                .toList();
        if (cases.isEmpty()) {
            throw new UsageException("no case has '" + only + "' in its group and name");
        }
        return cases;
    }

    List<Integer> threads() {
        for (int count : threads) {
            UsageException.requireAtLeast(1, "--threads", count);
        }
        return threads;
    }

    List<String> providers() {
        return providers;
    }

    SessionOptions options() {
        var builder = SessionOptions.builder();
        providers.forEach(builder::provider);
        return builder.build();
    }
}
