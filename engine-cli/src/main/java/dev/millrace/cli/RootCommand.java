package dev.millrace.cli;

import java.util.LinkedHashMap;
import java.util.Map;
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
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:all went well",
            "1:the answer is no: a case failed, answers disagree",
            "2:the command line makes no sense",
            "3:the engine refused a model, an input or an option",
            "4:a defect in Millrace itself"
        })
public final class RootCommand implements Runnable {
    /** The subcommands by their names, in the order of the help. */
    private static final Map<String, Class<?>> SUBCOMMANDS = subcommands();

    @Spec
    private CommandSpec spec;

    RootCommand() {
        // picocli sets spec before anything runs
        this.spec = CommandSpec.create();
    }

    private static Map<String, Class<?>> subcommands() {
        var all = new LinkedHashMap<String, Class<?>>();
        all.put("demo", DemoCommand.class);
        all.put("run", RunCommand.class);
        all.put("generate", GenerateCommand.class);
        all.put("chat", ChatCommand.class);
        all.put("serve", ServerCommand.class);
        all.put("inspect", InspectCommand.class);
        all.put("compile", CompileCommand.class);
        all.put("quantize", QuantizeCommand.class);
        all.put("ctx-gen", GroupCommand.class);
        all.put("ctx-info", ContextInfoCommand.class);
        all.put("cache", CacheCommand.class);
        all.put("models", ModelsCommand.class);
        all.put("devices", DevicesCommand.class);
        all.put("operators", OperatorsCommand.class);
        all.put("conformance", ConformanceCommand.class);
        all.put("version", VersionCommand.class);
        all.put("help", CommandLine.HelpCommand.class);
        return all;
    }

    /** The command with all its subcommands, those of other modules included. */
    public static CommandLine line() {
        var line = new CommandLine(new RootCommand());
        SUBCOMMANDS.forEach((name, type) -> line.addSubcommand(name, new CommandLine(type)));
        for (Subcommand other : ServiceLoader.load(Subcommand.class, RootCommand.class.getClassLoader())) {
            line.addSubcommand(other);
        }
        return settled(line);
    }

    /** The command with the subcommand that arguments name, since picocli takes long to describe all; with all where they name none. */
    static CommandLine lineFor(String... arguments) {
        Class<?> named = arguments.length == 0 ? null : SUBCOMMANDS.get(arguments[0]);
        return named == null || named == CommandLine.HelpCommand.class
                ? line()
                : settled(new CommandLine(new RootCommand()).addSubcommand(arguments[0], new CommandLine(named)));
    }

    private static CommandLine settled(CommandLine line) {
        return line.setExecutionStrategy(new Execution())
                .setParameterExceptionHandler(new UsageLine())
                .setExecutionExceptionHandler((thrown, failed, _) ->
                        ErrorLine.print(thrown, failed.getCommandSpec().qualifiedName(), failed.getErr()))
                .setCaseInsensitiveEnumValuesAllowed(true);
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }
}
