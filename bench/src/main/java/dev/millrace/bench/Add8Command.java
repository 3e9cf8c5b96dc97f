package dev.millrace.bench;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Duel;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.bench.nets.SmallSum;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.SessionFlags;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures what a run costs where there is next to nothing to compute. */
@Command(
        name = "add8",
        mixinStandardHelpOptions = true,
        description = {
            "Measures whole runs of a model that adds 8 floats to 8 floats, beside ONNX Runtime's Java call.",
            "The inputs are made beforehand on both sides, and results are closed."
        })
final class Add8Command implements Callable<Integer> {
    private static final double NANOS = 1e9;
    private static final long WARM_UP = 1_000_000_000;
    private static final long BLOCK = 2_000_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "How long to measure (default: ${DEFAULT-VALUE}).",
            defaultValue = "3")
    private double seconds;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws Exception {
        try (var scratch = new ScratchFolder("millrace-add8")) {
            return measure(SmallSum.in(scratch.path()), SmallSum.inputs());
        }
    }

    private int measure(Path model, Inputs inputs) throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        try (Engine engine = flags.engine();
                var ours = new Millrace(engine, model, flags.options());
                var onnxRuntime = new OnnxRuntime(model, engine.threads(), OptLevel.ALL_OPT)) {
            ours.create();
            onnxRuntime.create();
            double difference = Answers.maxAbsDiff(ours.answer(inputs), onnxRuntime.answer(inputs));
            var pace = new Duel.Pace(WARM_UP, BLOCK, (long) (seconds * NANOS), 5);
            Duel duel = Duel.of(() -> ours.run(inputs), () -> onnxRuntime.run(inputs), pace);
            out.println("a run of Add of %d floats: ours %.3f µs, peer %.3f µs, ratio %.2f"
                    .formatted(SmallSum.LENGTH, duel.ourMicros(), duel.referenceMicros(), duel.ratio()));
            out.flush();
            return difference == 0 ? ExitCode.OK : ExitCode.NO;
        }
    }
}
