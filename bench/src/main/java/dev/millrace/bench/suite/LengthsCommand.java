package dev.millrace.bench.suite;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Contender;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.bench.compare.Pairs;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.SessionFlags;
import dev.millrace.cli.UsageException;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.model.UsualShapes;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what it costs that lengths vary from run to run. */
@Command(
        name = "lengths",
        mixinStandardHelpOptions = true,
        description = {
            "Measures runs of MiniLM whose lengths come in random order, in turns with the same lengths sorted.",
            "Prints runs per second, and the bytes that a run allocates on the heap, by the caller and by all"
                    + " other threads."
        })
final class LengthsCommand implements Callable<Integer> {
    private static final int LENGTHS = 16;
    private static final int STEP = 8;
    private static final int BLOCK = 50;
    private static final long SEED = 1;
    private static final double NANOS = 1e9;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "Runs in each order (default: ${DEFAULT-VALUE}).",
            defaultValue = "2000")
    private int runs;

    @Option(names = "--no-peer", description = "Measure our side alone.")
    private boolean alone;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws Exception {
        UsageException.requireAtLeast(1, "--runs", runs);
        ModelArgument model = ModelArgument.of("minilm");
        PrintWriter out = spec.commandLine().getOut();
        out.println(
                "| side | random, runs/s | sorted, runs/s | random ÷ sorted | caller, bytes/run | others, bytes/run |");
        out.println("|---|---|---|---|---|---|");
        try (Engine engine = flags.engine();
                var ours = new Millrace(engine, model.file(), flags.options())) {
            ours.create();
            var inputs = new ArrayList<Inputs>();
            for (long length = STEP; length <= LENGTHS * STEP; length += STEP) {
                inputs.add(new InputMaker(model.known(), UsualShapes.tokens(1, length), SEED).make(ours.inputs()));
            }
            out.println(line("ours", ours, inputs));
            out.flush();
            if (!alone) {
                try (var onnxRuntime = new OnnxRuntime(model.file(), engine.threads(), OptLevel.ALL_OPT)) {
                    onnxRuntime.create();
                    out.println(line("peer", onnxRuntime, inputs));
                }
            }
        }
        out.flush();
        return ExitCode.OK;
    }

    /** Blocks of runs in random order and of the same runs sorted take turns: what else the machine does meets both. */
    private String line(String side, Contender contender, List<Inputs> inputs) throws Exception {
        int[] order = new Random(SEED).ints(runs, 0, inputs.size()).toArray();
        for (int round = 0; round < 3; round++) {
            for (Inputs each : inputs) {
                contender.run(each);
            }
        }
        int blocks = Math.max(1, runs / BLOCK);
        var speeds = new Pairs();
        long caller = 0;
        long others = 0;
        for (int block = 0; block < blocks; block++) {
            int[] some = Arrays.copyOfRange(
                    order, (int) ((long) runs * block / blocks), (int) ((long) runs * (block + 1) / blocks));
            var allocations = new Allocations();
            double random = perSecond(contender, inputs, some);
            Allocations.Bytes bytes = allocations.sinceThen();
            caller += bytes.caller();
            others += bytes.others();
            Arrays.sort(some);
            speeds.add(perSecond(contender, inputs, some), random);
        }
        return "| %s | %.1f | %.1f | %.2f | %d | %d |"
                .formatted(side, speeds.other(), speeds.one(), speeds.ratio(), caller / runs, others / runs);
    }

    private static double perSecond(Contender contender, List<Inputs> inputs, int[] order) throws Exception {
        long start = System.nanoTime();
        for (int index : order) {
            contender.run(inputs.get(index));
        }
        return order.length * NANOS / (System.nanoTime() - start);
    }
}
