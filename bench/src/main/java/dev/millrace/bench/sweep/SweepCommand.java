package dev.millrace.bench.sweep;

import dev.millrace.bench.compare.LineWorker;
import dev.millrace.bench.compare.Numbers;
import dev.millrace.bench.flag.ThreadCount;
import dev.millrace.bench.sweep.SweepRow.Outcome;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.Progress;
import dev.millrace.cli.ProviderFlag;
import dev.millrace.cli.UsageException;
import dev.millrace.cli.conformance.BackendCase;
import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures every operator that can be scaled. */
@Command(
        name = "sweep",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the node cases of a folder of ONNX backend data beside ONNX Runtime, with inputs scaled up.",
            "A case is measured where both sides load and run it and agree; the others say how far they came.",
            "A ratio is ONNX Runtime's time divided by ours: more is better."
        })
public final class SweepCommand implements Callable<Integer> {
    private static final double NANOS = 1e9;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "DIR",
            arity = "0..1",
            description = "A folder of ONNX backend data (default: ${DEFAULT-VALUE}).",
            defaultValue = "../shared/onnx-data")
    private Path folder = Path.of("");

    @Option(names = "--only", paramLabel = "FILTER", description = "A part of the case's name.", defaultValue = "")
    private String only = "";

    @Option(names = "--expanded", description = "Measure also cases that are an operator's function body.")
    private boolean expanded;

    @Option(
            names = "--elements",
            paramLabel = "N",
            description = "How many elements the largest input has, about (default: ${DEFAULT-VALUE}).",
            defaultValue = "100000")
    private long elements;

    @Mixin
    private ThreadCount threads = new ThreadCount();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long a case is measured (default: ${DEFAULT-VALUE}).",
            defaultValue = "0.3")
    private double seconds;

    @Option(
            names = "--case-timeout",
            paramLabel = "S",
            description = "Seconds after which a case is given up (default: ${DEFAULT-VALUE}).",
            defaultValue = "30")
    private long timeout;

    @Option(
            names = "--below",
            paramLabel = "R",
            description = "List the cases whose ratio is below this (default: ${DEFAULT-VALUE}).",
            defaultValue = "0.7")
    private double below;

    @Option(
            names = "--again",
            paramLabel = "N",
            description = "Measure the cases below that once more, N times as long, and let that count.",
            defaultValue = "0")
    private int again;

    @Mixin
    private ProviderFlag providers = new ProviderFlag();

    @Option(names = "--csv", paramLabel = "FILE", description = "Write a line per case.")
    private @Nullable Path csv;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<BackendCase> cases = cases();
        PrintWriter out = spec.commandLine().getOut();
        var rows = new ArrayList<SweepRow>();
        measure(cases, seconds, timeout, rows, out);
        if (again > 0) {
            List<String> slow =
                    rows.stream().filter(this::isSlow).map(SweepRow::name).toList();
            rows.removeIf(this::isSlow);
            out.println();
            out.println("once more:");
            List<BackendCase> rest =
                    cases.stream().filter(test -> slow.contains(test.name())).toList();
            measure(rest, again * seconds, again * timeout, rows, out);
        }
        writeTable(rows);
        summarise(rows, out);
        return ExitCode.OK;
    }

    private boolean isSlow(SweepRow row) {
        return row.ratio() != null && row.ratio() < below;
    }

    private void measure(
            List<BackendCase> cases, double seconds, long limitSeconds, List<SweepRow> rows, PrintWriter out)
            throws IOException, InterruptedException {
        var arguments = new ArrayList<>(List.of("" + threads.get(), "" + elements, "" + (long) (seconds * NANOS)));
        arguments.addAll(providers.texts());
        try (var worker = new LineWorker(SweepWorker.class, List.of(), arguments);
                var progress = Progress.of("sweeping", cases.size())) {
            for (BackendCase test : cases) {
                LineWorker.Reply reply = worker.ask(test.folder().toString(), Duration.ofSeconds(limitSeconds));
                SweepRow row = row(test, reply, limitSeconds);
                rows.add(row);
                out.println(row.toText());
                out.flush();
                progress.step();
            }
        }
    }

    private static SweepRow row(BackendCase test, LineWorker.Reply reply, long limitSeconds) {
        return switch (reply.end()) {
            case ANSWERED -> SweepRow.ofLine(reply.text());
            case CUT_OFF ->
                SweepRow.unmeasured(test.name(), "", "", Outcome.CUT_OFF, "cut off after " + limitSeconds + " s");
            case CRASHED -> SweepRow.unmeasured(test.name(), "", "", Outcome.CUT_OFF, "the process crashed");
        };
    }

    private void writeTable(List<SweepRow> rows) throws IOException {
        if (csv != null) {
            var lines = new ArrayList<>(List.of(SweepRow.csvHeading()));
            rows.forEach(row -> lines.add(row.toCsv()));
            Files.write(csv, lines);
        }
    }

    private List<BackendCase> cases() throws IOException {
        Path node = Files.isDirectory(folder.resolve("node")) ? folder.resolve("node") : folder;
        if (!Files.isDirectory(node)) {
            throw EngineException.invalidArgument("there is no folder " + folder);
        }
        List<BackendCase> cases = BackendCase.find(List.of(node)).stream()
                .filter(test ->
                        test.name().contains(only) && (expanded || !test.name().contains("_expanded")))
                .toList();
        if (cases.isEmpty()) {
            throw new UsageException("no case in " + node + " has '" + only + "' in its name");
        }
        return cases;
    }

    private void summarise(List<SweepRow> rows, PrintWriter out) {
        Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
        rows.forEach(row -> outcomes.merge(row.outcome(), 1, Integer::sum));
        List<SweepRow> measured = rows.stream()
                .filter(row -> row.ratio() != null)
                .sorted(Comparator.comparing(row -> Objects.requireNonNull(row.ratio())))
                .toList();
        List<SweepRow> slow = measured.stream().filter(this::isSlow).toList();
        out.println();
        out.println("outcomes: " + outcomes);
        if (!measured.isEmpty()) {
            List<Double> ratios = measured.stream()
                    .map(row -> Objects.requireNonNull(row.ratio()))
                    .toList();
            out.println("geometric mean of %d ratios: %.2f".formatted(ratios.size(), Numbers.geometricMean(ratios)));
        }
        out.println(slow.size() + " below " + below + ":");
        slow.forEach(row -> out.println(row.toText()));
        out.flush();
    }
}
