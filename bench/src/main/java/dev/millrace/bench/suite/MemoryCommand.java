package dev.millrace.bench.suite;

import dev.millrace.bench.compare.FreshProcess;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Measures the memory of fresh processes. */
@Command(
        name = "memory",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the peak of resident memory of a fresh process that opens a model and runs it a few" + " times.",
            "The processes are ours, ONNX Runtime's, and ours with eight sessions of the same file; the JVM itself"
                    + " is counted on both sides.",
            "The figures come again as short commands are best started: with an ahead-of-time cache, the serial"
                    + " collector and the first compiler only on each side.",
            "Prints a table in Markdown, in MiB.",
            "A ratio is ONNX Runtime's memory divided by ours."
        })
final class MemoryCommand implements Callable<Integer> {
    private static final int MANY = 8;
    private static final int RUNS = 4;
    private static final int PEAK = 2;
    private static final double KIB_PER_MIB = 1024;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SuiteFlags flags = new SuiteFlags();

    @Override
    public Integer call() {
        var table = new CaseTable(spec.commandLine().getOut(), flags);
        boolean cached = FreshProcess.cachesWork();
        String figures = " ours | peer | ratio | ours, " + MANY + " sessions | to one |";
        return table.print(figures + (cached ? " with AOT caches:" + figures : ""), (test, threads) -> {
            try (var sides = FreshSides.of(test, threads, flags.providers(), false)) {
                String plain = cells(sides.ours(1, RUNS), sides.reference(1, RUNS), sides.ours(MANY, RUNS));
                return plain + (cached ? withCaches(sides) : "");
            }
        });
    }

    private static String withCaches(FreshSides sides) throws IOException, InterruptedException {
        try (var ours = sides.ours(1, RUNS).withOptions(FreshProcess.BRIEF).train();
                var reference =
                        sides.reference(1, RUNS).withOptions(FreshProcess.BRIEF).train()) {
            FreshProcess one = ours.process();
            return cells(one, reference.process(), sides.ours(MANY, RUNS).withOptions(one.options()));
        }
    }

    private static String cells(FreshProcess one, FreshProcess onnxRuntime, FreshProcess many)
            throws IOException, InterruptedException {
        double ours = mib(one);
        double theirs = mib(onnxRuntime);
        double all = mib(many);
        return " %.0f | %.0f | %.2f | %.0f | %.2f |".formatted(ours, theirs, theirs / ours, all, all / ours);
    }

    private static double mib(FreshProcess process) throws IOException, InterruptedException {
        return process.say().numbers().get(PEAK) / KIB_PER_MIB;
    }
}
