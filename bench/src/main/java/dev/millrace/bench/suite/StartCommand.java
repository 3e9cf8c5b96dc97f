package dev.millrace.bench.suite;

import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.FreshProcess;
import dev.millrace.bench.compare.FreshProcess.Said;
import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.UsageException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how long fresh processes take to the first answer of a model. */
@Command(
        name = "start",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the first answer of fresh processes of both sides, in turns: the creation of a session, its",
            "first run, and all from the start of the process. Then again as short commands are best started, with",
            "an ahead-of-time cache, the serial collector and the first compiler only on each side; and then with a",
            "context cache on ours, too. Prints a table in Markdown of medians in milliseconds. A ratio is the peer's",
            "time divided by ours; the one behind \"to plain\" divides what the peer takes without any cache."
        })
final class StartCommand implements Callable<Integer> {
    private static final String TO_PLAIN = " to plain |";

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

    @Override
    public Integer call() {
        UsageException.requireAtLeast(1, "--runs", runs);
        List<SuiteCase> cases = flags.cases();
        PrintWriter out = spec.commandLine().getOut();
        boolean cached = FreshProcess.cachesWork();
        if (!cached) {
            out.println("with AOT caches: not measured, the class path is not of jars only\n");
        }
        String figures = " create: ours, ms | peer, ms | ratio | first run: ours, ms | peer, ms | ratio |"
                + " all: ours, ms | peer, ms | ratio |";
        out.println("| model | threads |" + figures
                + (cached
                        ? " with AOT caches:" + figures + TO_PLAIN + " and a context cache:" + figures + TO_PLAIN
                        : ""));
        out.println("|---|---|" + "---|".repeat(cached ? 29 : 9));
        boolean good = true;
        for (SuiteCase test : cases) {
            for (int threads : flags.threads()) {
                try (var sides = FreshSides.of(test, threads, flags.providers())) {
                    out.println("| " + test.name() + " | " + threads + " |" + measure(sides, cached));
                } catch (AbsentModel absent) {
                    out.println("| " + test.name() + " | " + threads + " | skipped: " + absent.getMessage() + " |");
                } catch (Exception failure) {
                    out.println(
                            "| " + test.name() + " | " + threads + " | failed: " + SuiteBench.reason(failure) + " |");
                    good = false;
                }
                out.flush();
            }
        }
        return good ? ExitCode.OK : ExitCode.NO;
    }

    private String measure(FreshSides sides, boolean cached) throws Exception {
        FreshProcess ours = sides.ours(1, 0);
        FreshProcess peer = sides.peer(1, 0);
        var pairs = new Pairs();
        for (int i = 0; i < runs; i++) {
            pairs.add(ours.say(), peer.say());
        }
        if (!cached) {
            return pairs.cells();
        }
        var cachedPairs = new Pairs();
        var keptPairs = new Pairs();
        var cachedToPlain = new Pairs();
        var keptToPlain = new Pairs();
        try (var folder = new ScratchFolder("millrace-contexts")) {
            FreshProcess kept = sides.ours(folder.path()).withOptions(FreshProcess.BRIEF);
            // what is trained and measured afterwards finds the cache filled
            kept.say();
            try (var ourCache = ours.withOptions(FreshProcess.BRIEF).train();
                    var keptCache = kept.train();
                    var peerCache = peer.withOptions(FreshProcess.BRIEF).train()) {
                for (int i = 0; i < runs; i++) {
                    Said plain = peer.say();
                    Said theirs = peerCache.process().say();
                    Said mine = ourCache.process().say();
                    Said keeping = keptCache.process().say();
                    cachedPairs.add(mine, theirs);
                    keptPairs.add(keeping, theirs);
                    cachedToPlain.add(mine, plain);
                    keptToPlain.add(keeping, plain);
                }
            }
        }
        return pairs.cells() + cachedPairs.cells() + cachedToPlain.all() + keptPairs.cells() + keptToPlain.all();
    }

    /** What neighbouring processes of both sides said. */
    private static final class Pairs {
        private final List<Said> ours = new ArrayList<>();
        private final List<Said> peer = new ArrayList<>();

        void add(Said mine, Said theirs) {
            ours.add(mine);
            peer.add(theirs);
        }

        /** Creation, first run, and all from the start of the process. */
        String cells() {
            return cells(said -> said.millis(0)) + cells(said -> said.millis(1)) + cells(Said::firstLineMillis);
        }

        /** The ratio of all from the start of the process. */
        String all() {
            return " %.2f |".formatted(ratio(Said::firstLineMillis));
        }

        private String cells(ToDoubleFunction<Said> of) {
            return " %.1f | %.1f | %.2f |".formatted(median(ours, of), median(peer, of), ratio(of));
        }

        private double ratio(ToDoubleFunction<Said> of) {
            var ratios = new ArrayList<Double>();
            for (int i = 0; i < ours.size(); i++) {
                ratios.add(of.applyAsDouble(peer.get(i)) / of.applyAsDouble(ours.get(i)));
            }
            return Duel.median(ratios);
        }

        private static double median(List<Said> said, ToDoubleFunction<Said> of) {
            return Duel.median(said.stream().mapToDouble(of).boxed().toList());
        }
    }
}
