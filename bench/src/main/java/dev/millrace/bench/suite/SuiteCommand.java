package dev.millrace.bench.suite;

import dev.millrace.bench.compare.Duel;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.Progress;
import dev.millrace.cli.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures whole models. */
@Command(
        name = "suite",
        subcommands = {StartCommand.class, ContextCommand.class, MemoryCommand.class, LengthsCommand.class},
        mixinStandardHelpOptions = true,
        description = {
            "Measures whole models beside ONNX Runtime, in turns in one process; answers are compared first.",
            "Prints a row per model and number of threads, then tables in Markdown with the mean of each group.",
            "A ratio is ONNX Runtime's time divided by ours, the median over neighbouring blocks: more is better.",
            "Answers differ by so much of the largest output; those of quantised models are compared with what the"
                    + " model was before, on both sides; where floats differ much, ONNX Runtime's are compared with its"
                    + " own without optimisations.",
            "Models are fetched or built where they are not there yet."
        })
public final class SuiteCommand implements Callable<Integer> {
    private static final long BLOCK_NANOS = 20_000_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SuiteFlags flags = new SuiteFlags();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long a case is measured, after a quarter of that to warm up each side (default:"
                    + " ${DEFAULT-VALUE}).",
            defaultValue = "2")
    private double seconds;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Blocks of each side that are measured at least (default: ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private int rounds;

    @Option(names = "--no-peer", description = "Measure our side alone.")
    private boolean alone;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the rows as JSON.")
    private @Nullable Path json;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write the rows as comma-separated values.")
    private @Nullable Path csv;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draw the ratios.")
    private @Nullable Path svg;

    @Override
    public Integer call() throws IOException {
        if (rounds < 1 || !(seconds >= 0)) {
            throw new UsageException("--rounds is at least 1, and --seconds is at least 0");
        }
        List<SuiteCase> cases = flags.cases();
        List<Integer> threads = flags.threads();
        PrintWriter out = spec.commandLine().getOut();
        out.println(SuiteRow.heading());
        var bench = new SuiteBench(flags.options(), Duel.Pace.ofSeconds(seconds, BLOCK_NANOS, rounds), !alone);
        var rows = new ArrayList<SuiteRow>();
        try (var progress = Progress.of("measuring", (long) cases.size() * threads.size())) {
            for (SuiteCase test : cases) {
                for (int count : threads) {
                    SuiteRow row = bench.run(test, count);
                    rows.add(row);
                    out.println(row.toText());
                    out.flush();
                    write(rows);
                    progress.step();
                }
            }
        }
        out.println();
        out.print(new SuiteSummary(rows).toMarkdown());
        out.flush();
        return rows.stream().allMatch(row -> row.outcome().isGood()) ? ExitCode.OK : ExitCode.NO;
    }

    /** After each row, so that a run that is cut short leaves what it has. */
    private void write(List<SuiteRow> rows) throws IOException {
        if (json != null) {
            Files.writeString(json, SuiteFiles.json(rows));
        }
        if (csv != null) {
            Files.writeString(csv, SuiteFiles.csv(rows));
        }
        if (svg != null) {
            Files.writeString(svg, new SuiteSummary(rows).chart().toSvg());
        }
    }
}
