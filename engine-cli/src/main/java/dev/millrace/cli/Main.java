package dev.millrace.cli;

import java.util.ServiceLoader;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code millrace}. */
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
public final class Main implements Runnable {
    static final String VERSION = "0.1.0";
    private static final String SERVE = "serve";

    @Spec
    private CommandSpec spec;

    Main() {
        // picocli sets spec before anything runs
        this.spec = CommandSpec.create();
    }

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] args) {
        quieten();
        boolean serves = args.length > 0 && args[0].equals(SERVE);
        System.exit((serves ? serveAlone() : commandLine()).execute(args));
    }

    /** The command with {@code serve} alone: a server that starts does not wait for the descriptions of other subcommands. */
    private static CommandLine serveAlone() {
        var command = ServerCommand.initialising();
        CommandSpec all = CommandSpec.create().name("millrace");
        all.addSubcommand(SERVE, new CommandLine(command));
        return settled(new CommandLine(all));
    }

    /** Has the log print warnings alone, where nobody set it up: what is information to a service is noise in a command. */
    static void quieten() {
        boolean isSetUp = System.getProperty("java.util.logging.config.file") != null
                || System.getProperty("java.util.logging.config.class") != null;
        if (!isSetUp) {
            System.setProperty("java.util.logging.config.class", WarningsOnly.class.getName());
        }
    }

    /** The command with all its subcommands, those of other modules included. */
    public static CommandLine commandLine() {
        var line = new CommandLine(new Main());
        for (Subcommand other : ServiceLoader.load(Subcommand.class, Main.class.getClassLoader())) {
            line.addSubcommand(other);
        }
        return settled(line);
    }

    private static CommandLine settled(CommandLine line) {
        return line.setExecutionStrategy(new Execution())
                .setExecutionExceptionHandler(new ErrorLine())
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}
