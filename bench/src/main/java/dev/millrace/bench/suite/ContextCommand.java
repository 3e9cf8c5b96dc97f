package dev.millrace.bench.suite;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Contender;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.bench.compare.Pairs;
import dev.millrace.bench.compare.ScratchFolder;
import dev.millrace.cli.UsageException;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures how long sessions take to be made, of context models and of sources. */
@Command(
        name = "context",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the creation of sessions of context models beside those of sources, in one process, in"
                    + " turns.",
            "The sessions are ours of a context model, ours of the source, and ONNX Runtime's of the source.",
            "Prints a table in Markdown of medians in milliseconds.",
            "A ratio is the time from source, ours or ONNX Runtime's, divided by ours from the context model, the"
                    + " median over turns."
        })
final class ContextCommand implements Callable<Integer> {
    private static final double NANOS_OF_MILLI = 1e6;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private SuiteFlags flags = new SuiteFlags();

    @Option(
            names = "--turns",
            paramLabel = "N",
            description = "Sessions of each kind that are measured (default: ${DEFAULT-VALUE}).",
            defaultValue = "20")
    private int turns;

    @Option(
            names = "--weightless",
            paramLabel = "MODE",
            description = "The context model leaves weights in its source: ${COMPLETION-CANDIDATES}"
                    + " (default: ${DEFAULT-VALUE}).",
            defaultValue = "NONE")
    private WeightlessMode weightless = WeightlessMode.NONE;

    @Override
    public Integer call() {
        UsageException.requireAtLeast(1, "--turns", turns);
        var table = new CaseTable(spec.commandLine().getOut(), flags);
        return table.print(" context, ms | source, ms | ratio | peer, ms | ratio |", this::cells);
    }

    private String cells(SuiteCase test, int threads) throws Exception {
        Path source = test.model().get().file();
        try (Engine engine =
                        Engine.create(EngineOptions.builder().threads(threads).build());
                var folder = new ScratchFolder("millrace-context")) {
            Path context = folder.path().resolve("model_ctx.onnx");
            engine.compiler(CompileOptions.of(flags.options())
                            .weightless(weightless)
                            .errorIfNothingCompiled(true)
                            .build())
                    .compile(ModelInput.file(source), ModelOutput.file(context));
            var options = flags.options().toBuilder();
            if (weightless != WeightlessMode.NONE) {
                options.config("ep.context_source_model_path", source.toString());
            }
            try (var ours = new Millrace(engine, context, options.build());
                    var fromSource = new Millrace(engine, source, flags.options());
                    var onnxRuntime = new OnnxRuntime(source, threads, OptLevel.ALL_OPT)) {
                return cells(ours, fromSource, onnxRuntime);
            }
        }
    }

    private String cells(Contender ours, Contender source, Contender reference) throws Exception {
        // what is loaded and compiled once by the JVM is not what is asked for
        for (int i = 0; i < turns; i++) {
            millis(ours);
            millis(source);
            millis(reference);
        }
        var toSource = new Pairs();
        var toReference = new Pairs();
        for (int i = 0; i < turns; i++) {
            double context = millis(ours);
            toSource.add(context, millis(source));
            toReference.add(context, millis(reference));
        }
        return " %.2f | %.2f | %.1f | %.2f | %.1f |"
                .formatted(
                        toSource.one(), toSource.other(), toSource.ratio(), toReference.other(), toReference.ratio());
    }

    /** How long a session takes; the one before is closed first, outside of that. */
    private static double millis(Contender side) throws Exception {
        side.close();
        long start = System.nanoTime();
        side.create();
        double millis = (System.nanoTime() - start) / NANOS_OF_MILLI;
        side.close();
        return millis;
    }
}
