package dev.millrace.cli;

import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code millrace} with its subcommands. */
@Command(
        name = "millrace",
        mixinStandardHelpOptions = true,
        version = "millrace " + Main.VERSION,
        description = "Runs ONNX models on the JVM.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            DemoCommand.class,
            RunCommand.class,
            GenerateCommand.class,
            ChatCommand.class,
            ServerCommand.class,
            InspectCommand.class,
            CompileCommand.class,
            QuantizeCommand.class,
            GroupCommand.class,
            ContextInfoCommand.class,
            CacheCommand.class,
            ModelsCommand.class,
            DevicesCommand.class,
            OperatorsCommand.class,
            ConformanceCommand.class,
            VersionCommand.class,
            CommandLine.HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well",
            "1:the answer is no: a case failed, answers disagree",
            "2:the command line makes no sense",
            "3:the engine refused a model, an input or an option",
            "4:a defect in Millrace itself"
        })
public final class RootCommand implements Runnable {
    @Spec
    private CommandSpec spec;

    RootCommand() {
        // picocli sets spec before anything runs
        this.spec = CommandSpec.create();
    }

    /** The command with all its subcommands, those of other modules included. */
    public static CommandLine line() {
        var line = new CommandLine(new RootCommand());
        for (Subcommand other : ServiceLoader.load(Subcommand.class, RootCommand.class.getClassLoader())) {
            line.addSubcommand(other);
        }
        return line.setExecutionStrategy(new Execution())
                .setExecutionExceptionHandler((thrown, failed, _) ->
                        ErrorLine.print(thrown, failed.getCommandSpec().qualifiedName(), failed.getErr()))
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}
