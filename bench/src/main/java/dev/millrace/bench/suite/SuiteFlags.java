package dev.millrace.bench.suite;

import dev.millrace.bench.flag.ThreadCounts;
import dev.millrace.cli.ProviderFlag;
import dev.millrace.cli.UsageException;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Mixin;
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

    @Mixin
    private ThreadCounts threads = new ThreadCounts();

    @Mixin
    private ProviderFlag providers = new ProviderFlag();

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
        return threads.get();
    }

    List<String> providers() {
        return providers.texts();
    }

    SessionOptions options() {
        var builder = SessionOptions.builder();
        providers.addTo(builder);
        return builder.build();
    }
}
