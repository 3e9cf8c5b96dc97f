package dev.millrace.bench.agree;

import dev.millrace.bench.flag.ReferenceFlag;
import dev.millrace.bench.flag.ThreadCount;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.Progress;
import dev.millrace.cli.ProviderFlag;
import dev.millrace.cli.Subcommand;
import dev.millrace.cli.UsageException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Tells of models whether they answer here as they do in ONNX Runtime. */
@Command(
        name = "agree",
        mixinStandardHelpOptions = true,
        description = {
            "Runs models here, optimised and not, and in ONNX Runtime, on the same inputs, and compares the answers.",
            "Inputs are made up, with small free extents; those of test_data_set_* folders beside a model are used,"
                    + " too.",
            "Each model runs in a process that may crash or hang. Ends with 1 where answers differ, or where a model"
                    + " crashes here or runs only there."
        })
public final class AgreeCommand implements Subcommand {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "MODEL|DIR",
            arity = "1..*",
            description = "Model files, names that 'models' lists, or folders with .onnx files at any depth.")
    private List<String> models = new ArrayList<>();

    @Option(
            names = "--vs",
            paramLabel = "PEER",
            description = "The engine to compare with (default: ${DEFAULT-VALUE}).",
            defaultValue = "onnxruntime")
    private String reference = "";

    @Option(
            names = "--draws",
            paramLabel = "N",
            description =
                    "How often inputs are made up for a model, each time of other shapes (default: ${DEFAULT-VALUE}).",
            defaultValue = "2")
    private int draws;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Another number makes up other inputs (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private long seed;

    @Option(
            names = "--tolerance",
            paramLabel = "TYPE=T",
            split = ",",
            description = "How far numbers of a type may be off, like float=1e-3: floating ones relative to the largest"
                    + " of their output, whole ones in steps; 'quantised' is for models with quantised arithmetic.")
    private List<String> tolerances = new ArrayList<>();

    @Option(
            names = "--timeout",
            paramLabel = "S",
            description = "Seconds after which a model is given up (default: ${DEFAULT-VALUE}).",
            defaultValue = "60")
    private int timeout;

    @Option(
            names = "--heap",
            paramLabel = "SIZE",
            description = "What a process may take of heap, and as much beside it (default: ${DEFAULT-VALUE}).",
            defaultValue = "2g")
    private String heap = "";

    @Mixin
    private ThreadCount threads = new ThreadCount();

    @Option(
            names = "--jobs",
            paramLabel = "N",
            description = "How many processes share the models (default: half of the processors).")
    private int jobs = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

    @Mixin
    private ProviderFlag providers = new ProviderFlag();

    @Option(
            names = "--known",
            paramLabel = "FILE",
            description = "Differences that are known: lines of a pattern for the file's path and a reason.")
    private @Nullable Path knownFile;

    @Option(names = "--csv", paramLabel = "FILE", description = "Write a line per model.")
    private @Nullable Path csv;

    @Option(names = "--json", description = "Print one object per model on its own line.")
    private boolean json;

    @Override
    public Integer call() throws IOException, InterruptedException {
        check();
        Tolerances allowed = Tolerances.of(tolerances);
        Known known = knownFile == null ? Known.none() : Known.read(knownFile);
        var settings = new Settings(draws, seed, threads.get(), providers.texts(), allowed.said());
        List<Path> files = ModelFileList.of(models);
        PrintWriter out = spec.commandLine().getOut();
        if (!json) {
            out.println("tolerances: " + allowed + "; all else has to be equal");
            out.flush();
        }
        try (BufferedWriter table = csv == null ? null : Files.newBufferedWriter(csv)) {
            var tally = new Tally(out, table, json, known);
            try (var pool = new ProcessPool(Math.min(jobs, files.size()), settings, Duration.ofSeconds(timeout), heap);
                    var progress = Progress.of("comparing", files.size())) {
                pool.run(files, row -> {
                    tally.add(row);
                    progress.step();
                });
            }
            tally.finish();
            return tally.isGood() ? ExitCode.OK : ExitCode.NO;
        }
    }

    private void check() {
        ReferenceFlag.require(reference);
        UsageException.requireAtLeast(1, "--draws", draws);
        UsageException.requireAtLeast(1, "--timeout", timeout);
        UsageException.requireAtLeast(1, "--jobs", jobs);
        if (!heap.matches("\\d+[kmgKMG]?")) {
            throw new UsageException("--heap is " + heap + "; it is a number like 512m or 2g");
        }
    }
}
