package dev.millrace.bench;

import dev.millrace.bench.flag.ReferenceFlag;
import dev.millrace.bench.generate.GenerateBenchCommand;
import dev.millrace.bench.kernels.KernelsCommand;
import dev.millrace.bench.serve.BatchingCommand;
import dev.millrace.bench.serve.FluxCommand;
import dev.millrace.bench.serve.ServeCommand;
import dev.millrace.bench.server.ServerCommand;
import dev.millrace.bench.suite.SuiteCommand;
import dev.millrace.bench.sweep.SweepCommand;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.SessionFlags;
import dev.millrace.cli.ShapeFlag;
import dev.millrace.cli.Subcommand;
import dev.millrace.cli.UsageException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Measures models, beside ONNX Runtime in the same process where that is asked for. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        subcommands = {
            KernelsCommand.class,
            SuiteCommand.class,
            Add8Command.class,
            SweepCommand.class,
            ServeCommand.class,
            FluxCommand.class,
            BatchingCommand.class,
            GenerateBenchCommand.class,
            ServerCommand.class
        },
        description = {
            "Measures runs, session creation and the first run of models.",
            "With --vs ONNX Runtime runs the same in turns, and both answers are compared first.",
            "A ratio is ONNX Runtime's time divided by ours: more is better."
        })
public final class BenchCommand implements Subcommand {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "MODEL",
            arity = "0..*",
            description = "Model files, names that 'models' lists, or names like hf:ORG/NAME.")
    private List<String> models = new ArrayList<>();

    @Option(
            names = "--shape",
            paramLabel = "NAME=EXTENTS",
            description =
                    "The shape of an input, like x=1,3,224,224. Known models have sensible ones; else free extents"
                            + " are 1.")
    private List<String> shapes = new ArrayList<>();

    @Option(
            names = "--runs",
            paramLabel = "N",
            description = "Blocks of runs to measure (default: ${DEFAULT-VALUE}).",
            defaultValue = "20")
    private int runs;

    @Mixin
    private ReferenceFlag reference = new ReferenceFlag();

    @Option(names = "--json", description = "Print one object per model on its own line.")
    private boolean json;

    @Option(
            names = "--max-diff",
            paramLabel = "D",
            description = "Fail where answers differ by more, relative to the largest number of their output"
                    + " (default: ${DEFAULT-VALUE}).",
            defaultValue = "1e-4")
    private double maxDiff;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws Exception {
        if (models.isEmpty()) {
            throw new UsageException(
                    "bench needs a model, or 'kernels', 'suite', 'add8', 'sweep', 'serve', 'flux', 'batching' or"
                            + " 'generate'");
        }
        boolean withReference = reference.isSet();
        UsageException.requireAtLeast(1, "--runs", runs);
        PrintWriter out = spec.commandLine().getOut();
        var files = new ArrayList<ModelArgument>();
        for (String model : models) {
            files.add(ModelArgument.of(model));
        }
        boolean agree = true;
        if (!json) {
            out.println(BenchResult.heading());
        }
        for (int i = 0; i < files.size(); i++) {
            String model = models.get(i);
            var bench = new ModelBench(files.get(i), flags, ShapeFlag.parse(shapes), runs, withReference);
            BenchResult result = bench.run();
            out.println(json ? result.toJson() : result.toRow());
            out.flush();
            if (result.difference() > maxDiff || Double.isNaN(result.difference())) {
                agree = false;
                spec.commandLine()
                        .getErr()
                        .println("millrace: the answers for " + model + " differ by " + result.difference()
                                + " of their largest number, more than " + maxDiff);
            }
        }
        return agree ? ExitCode.OK : ExitCode.NO;
    }
}
