package dev.millrace.bench.kernels;

import dev.millrace.bench.compare.Numbers;
import dev.millrace.bench.flag.ReferenceFlag;
import dev.millrace.bench.flag.ThreadCounts;
import dev.millrace.bench.kernels.KernelBench.DifferentAnswers;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.UsageException;
import dev.millrace.codegen.code.Platform;
import dev.millrace.kernels.Kernels;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures kernels. */
@Command(
        name = "kernels",
        mixinStandardHelpOptions = true,
        subcommands = StartupCommand.class,
        description = {
            "Measures single kernels.",
            "With --vs ONNX Runtime runs the same operators in turns, and both answers are compared first.",
            "A ratio is ONNX Runtime's time divided by ours: more is better. The peak is what the machine can do at"
                    + " most."
        })
public final class KernelsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "FILTER",
            arity = "0..1",
            description = "A part of the kernel's name and shape.",
            defaultValue = "")
    private String filter = "";

    @Mixin
    private ReferenceFlag reference = new ReferenceFlag();

    @Mixin
    private ThreadCounts threads = new ThreadCounts();

    @Option(
            names = "--lowering",
            paramLabel = "L",
            description = "How our kernels run: avx512, avx2, vector_api, plain (default: the best there is).")
    private @Nullable String lowering;

    @Option(names = "--json", description = "Print one object per row on its own line.")
    private boolean json;

    private final Map<String, List<Double>> ratios = new LinkedHashMap<>();

    @Override
    public Integer call() throws Exception {
        boolean withReference = reference.isSet();
        List<Integer> counts = threads.get();
        List<KernelCase> cases =
                KernelCases.all().stream().filter(test -> test.matches(filter)).toList();
        if (cases.isEmpty()) {
            throw new UsageException("no kernel and shape has '" + filter + "' in it");
        }
        boolean agree = true;
        try (Kernels kernels = open()) {
            for (int count : counts) {
                agree &= measure(cases, kernels, count, withReference);
            }
        }
        printMeans();
        return agree ? ExitCode.OK : ExitCode.NO;
    }

    private Kernels open() {
        try {
            return Kernels.open(name ->
                    name.equals(Platform.LEVEL_PROPERTY) && lowering != null ? lowering : System.getProperty(name));
        } catch (IllegalArgumentException unknown) {
            throw new UsageException(String.valueOf(unknown.getMessage()));
        }
    }

    private boolean measure(List<KernelCase> cases, Kernels kernels, int count, boolean withReference)
            throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        boolean agree = true;
        try (var parallel = new SpinningThreads(count)) {
            var peaks = new Peaks(kernels, parallel);
            if (!json) {
                out.println(kernels.platform().level() + ", " + count + " threads: " + peaks);
                out.println(KernelRow.heading());
            }
            var bench = new KernelBench(kernels, parallel, peaks, withReference);
            for (KernelCase test : cases) {
                try {
                    KernelRow row = bench.run(test);
                    out.println(json ? row.toJson() : row.toRow());
                    remember(row);
                } catch (DifferentAnswers different) {
                    agree = false;
                    spec.commandLine().getErr().println("millrace: " + different.getMessage());
                }
                out.flush();
            }
        }
        return agree;
    }

    private void remember(KernelRow row) {
        Double ratio = row.ratio();
        if (ratio != null) {
            ratios.computeIfAbsent(row.kernel() + ", threads: " + row.threads(), _ -> new ArrayList<>())
                    .add(ratio);
        }
    }

    /** Geometric ones, of the ratios. */
    private void printMeans() {
        if (json) {
            return;
        }
        PrintWriter out = spec.commandLine().getOut();
        ratios.forEach(
                (name, values) -> out.println("mean of %-45s %.2f".formatted(name, Numbers.geometricMean(values))));
        out.flush();
    }
}
