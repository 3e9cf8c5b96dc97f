package dev.millrace.cli;

import dev.millrace.cli.conformance.BackendCase;
import dev.millrace.cli.conformance.CaseResult;
import dev.millrace.cli.conformance.CaseResult.Status;
import dev.millrace.cli.conformance.CaseRunner;
import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs folders of ONNX backend cases. */
@Command(
        name = "conformance",
        mixinStandardHelpOptions = true,
        description = {
            "Runs every ONNX backend case at any depth below the folders, and compares.",
            "Ends with 0 where none failed, with 1 otherwise."
        })
final class ConformanceCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "DIR", arity = "1..*", description = "Folders of cases, or single cases.")
    private List<Path> folders = new ArrayList<>();

    @Option(names = "--csv", paramLabel = "FILE", description = "Write one line per case.")
    private @Nullable Path csv;

    @Option(
            names = "--case-timeout",
            paramLabel = "SECONDS",
            description = "Cut a case off after so long (default: ${DEFAULT-VALUE}).",
            defaultValue = "60")
    private int caseTimeout;

    @Option(names = "--filter", paramLabel = "REGEX", description = "Only cases whose name matches.")
    private Pattern filter = Pattern.compile(".*");

    @Option(names = "--quiet", description = "Do not print the cases that failed.")
    private boolean quiet;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        UsageException.requireAtLeast(1, "--case-timeout", caseTimeout);
        for (Path folder : folders) {
            if (!Files.isDirectory(folder)) {
                throw EngineException.invalidArgument("there is no folder " + folder.toAbsolutePath());
            }
        }
        List<BackendCase> cases = BackendCase.find(folders).stream()
                .filter(test -> filter.matcher(test.name()).matches())
                .toList();
        if (cases.isEmpty()) {
            throw EngineException.invalidArgument("there are no cases (folders with a model.onnx) below " + folders);
        }
        List<CaseResult> results = run(cases);
        if (csv != null) {
            writeCsv(csv, results);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(count(results, Status.PASSED) + " passed, " + count(results, Status.FAILED) + " failed, "
                + count(results, Status.SKIPPED) + " skipped");
        out.flush();
        return count(results, Status.FAILED) == 0 ? ExitCode.OK : ExitCode.NO;
    }

    private List<CaseResult> run(List<BackendCase> cases) {
        var results = new ArrayList<CaseResult>(cases.size());
        PrintWriter out = spec.commandLine().getOut();
        try (Engine engine = flags.engine();
                var progress = Progress.of("conformance", cases.size())) {
            var runner = new CaseRunner(
                    engine,
                    cancellation -> flags.builder(flags.optimizes())
                            .cancellation(cancellation)
                            .build(),
                    Duration.ofSeconds(caseTimeout));
            for (BackendCase test : cases) {
                CaseResult result = runner.run(test);
                results.add(result);
                if (result.status() == Status.FAILED && !quiet) {
                    out.println("failed " + test.suite() + "/" + test.name() + ": " + result.message());
                }
                progress.step();
            }
        }
        return results;
    }

    private static long count(List<CaseResult> results, Status status) {
        return results.stream().filter(result -> result.status() == status).count();
    }

    private void writeCsv(Path file, List<CaseResult> results) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("suite,case,provider,optimized,status,message");
            out.newLine();
            for (CaseResult result : results) {
                out.write(String.join(
                        ",",
                        quoted(result.test().suite()),
                        quoted(result.test().name()),
                        quoted(flags.providerLabel()),
                        flags.optimizes() ? "y" : "n",
                        result.status().name().toLowerCase(Locale.ROOT),
                        quoted(result.message())));
                out.newLine();
            }
        }
    }

    private static String quoted(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain
                ? text
                : '"' + text.replace("\"", "\"\"").replace('\n', ' ').replace('\r', ' ') + '"';
    }
}
