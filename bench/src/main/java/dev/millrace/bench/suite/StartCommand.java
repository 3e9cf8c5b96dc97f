package dev.millrace.bench.suite;

import dev.millrace.bench.compare.FreshProcess;
import dev.millrace.bench.compare.FreshProcess.Said;
import dev.millrace.bench.compare.Pairs;
import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.cli.UsageException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures the time from the start of a fresh process to the first answer of a model. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the first answer of fresh processes of both sides, in turns.",
            "The figures are the creation of a session, its first run, and all from the start of the process.",
            "They come again as short commands are best started, with an ahead-of-time cache, the serial collector and"
                    + " the first compiler only on each side, and then with a context cache on ours, too.",
            "Prints a table in Markdown of medians in milliseconds.",
            "A ratio is ONNX Runtime's time divided by ours; the one behind \"to plain\" divides what ONNX Runtime"
                    + " takes without any cache."
        })
final class StartCommand implements Callable<Integer> {
    private static final String TO_PLAIN = " to plain |";
    private static final String RATIO = " %.2f |";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SuiteFlags flags = new SuiteFlags();

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "Processes of each kind (default: ${DEFAULT-VALUE}).",
            defaultValue = "5")
    private int runs;

    @Option(
            names = "--told",
            description = {
                "Tells both sides when a session is created what inputs will come: ours by expecting them, ONNX"
                        + " Runtime by",
                "the values of the extents that its model leaves open and has names for."
            })
    private boolean told;

    @Override
    public Integer call() {
        UsageException.requireAtLeast(1, "--runs", runs);
        PrintWriter out = spec.commandLine().getOut();
        var table = new CaseTable(out, flags);
        boolean cached = FreshProcess.cachesWork();
        if (!cached) {
            out.println(FreshProcess.NO_CACHES + "\n");
        }
        String figures = " create: ours, ms | peer, ms | ratio | first run: ours, ms | peer, ms | ratio |"
                + " all: ours, ms | peer, ms | ratio |";
        String more = " with AOT caches:" + figures + TO_PLAIN + " and a context cache:" + figures + TO_PLAIN;
        return table.print(figures + (cached ? more : ""), (test, threads) -> {
            try (var sides = FreshSides.of(test, threads, flags.providers(), told)) {
                return measure(sides, cached);
            }
        });
    }

    private String measure(FreshSides sides, boolean cached) throws Exception {
        FreshProcess ours = sides.ours(1, 0);
        FreshProcess onnxRuntime = sides.reference(1, 0);
        var starts = new Starts();
        for (int i = 0; i < runs; i++) {
            starts.add(ours.say(), onnxRuntime.say());
        }
        if (!cached) {
            return starts.cells();
        }
        var cachedStarts = new Starts();
        var keptStarts = new Starts();
        var cachedToPlain = new Pairs();
        var keptToPlain = new Pairs();
        try (var folder = new ScratchFolder("millrace-contexts")) {
            FreshProcess kept = sides.ours(folder.path()).withOptions(FreshProcess.QUICK);
            // later training and measurements find the cache filled
            kept.say();
            try (var ourCache = ours.withOptions(FreshProcess.QUICK).train();
                    var keptCache = kept.train();
                    var referenceCache =
                            onnxRuntime.withOptions(FreshProcess.QUICK).train()) {
                for (int i = 0; i < runs; i++) {
                    Said plain = onnxRuntime.say();
                    Said theirs = referenceCache.process().say();
                    Said mine = ourCache.process().say();
                    Said keeping = keptCache.process().say();
                    cachedStarts.add(mine, theirs);
                    keptStarts.add(keeping, theirs);
                    cachedToPlain.add(mine.firstLineMillis(), plain.firstLineMillis());
                    keptToPlain.add(keeping.firstLineMillis(), plain.firstLineMillis());
                }
            }
        }
        return starts.cells()
                + cachedStarts.cells()
                + RATIO.formatted(cachedToPlain.ratio())
                + keptStarts.cells()
                + RATIO.formatted(keptToPlain.ratio());
    }

    /**
     * The times of neighbouring processes of both sides: creation, first run, and the total from
     * the start of the process.
     */
    private static final class Starts {
        private final Pairs creations = new Pairs();
        private final Pairs firstRuns = new Pairs();
        private final Pairs all = new Pairs();

        void add(Said mine, Said theirs) {
            creations.add(mine.millis(0), theirs.millis(0));
            firstRuns.add(mine.millis(1), theirs.millis(1));
            all.add(mine.firstLineMillis(), theirs.firstLineMillis());
        }

        String cells() {
            return cells(creations) + cells(firstRuns) + cells(all);
        }

        private static String cells(Pairs pairs) {
            return " %.1f | %.1f | %.2f |".formatted(pairs.one(), pairs.other(), pairs.ratio());
        }
    }
}
