package dev.millrace.cli;

import dev.millrace.cli.show.SessionText;
import dev.millrace.graph.PlainText;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.CompileReport;
import dev.millrace.session.Engine;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import dev.millrace.session.SessionReport.PartitionInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compiles a model ahead of time. */
@Command(
        name = "compile",
        mixinStandardHelpOptions = true,
        description = "Compiles a model ahead of time: sessions start from what is written without compiling.")
final class CompileCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "MODEL", description = ModelArgument.DESCRIPTION)
    private String model = "";

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "The compiled model; by default beside the model, with _ctx behind its name.")
    private @Nullable Path output;

    @Option(names = "--embed", description = "Put what is compiled into the model, not into a file beside it.")
    private boolean embed;

    @Option(
            names = "--weightless",
            paramLabel = "MODE",
            description = "Leave weights in the source model, which sessions then need: ${COMPLETION-CANDIDATES}"
                    + " (default: ${DEFAULT-VALUE}).",
            defaultValue = "NONE")
    private WeightlessMode weightless = WeightlessMode.NONE;

    @Option(names = "--prefix", paramLabel = "TEXT", description = "Stands before the names of context nodes.")
    private String prefix = "";

    @Option(
            names = "--external-data",
            paramLabel = "NAME",
            description = "The file beside the model that takes the initializers that are left.")
    private @Nullable String externalData;

    @Option(names = "--replace", description = "Replace what stands there.")
    private boolean replace;

    @Option(names = "--must-compile", description = "Fail where no provider compiles a node.")
    private boolean mustCompile;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        ModelArgument argument = ModelArgument.of(model);
        try (Engine engine = flags.engine()) {
            CompileReport report = engine.compiler(CompileOptions.of(flags.options())
                            .embed(embed)
                            .weightless(weightless)
                            .nodeNamePrefix(prefix)
                            .externalInitializers(externalData, 0)
                            .errorIfOutputExists(!replace)
                            .errorIfNothingCompiled(mustCompile)
                            .build())
                    .compile(
                            ModelInput.file(argument.file()),
                            output == null ? ModelOutput.besideSource() : ModelOutput.file(output));
            show(report, spec.commandLine().getOut());
        }
        return ExitCode.OK;
    }

    private static void show(CompileReport report, PrintWriter out) throws IOException {
        report.notes().forEach(note -> out.println(PlainText.line("note: " + note)));
        for (PartitionInfo part : report.partitions()) {
            out.printf(
                    "%-8s %s, %d nodes%s%n",
                    part.provider(), PlainText.line(part.name()), part.nodes(), part.compiled() ? ", compiled" : "");
        }
        report.phases().forEach((phase, time) -> out.printf("%-10s %8.1f ms%n", phase, time.toNanos() / 1e6));
        Path written = report.model();
        if (written != null) {
            out.println(written + ", " + SessionText.bytes(Files.size(written)));
        }
        out.flush();
    }
}
