package dev.millrace.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Serves the models of a folder. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        modelTransformer = ServerCommand.Flags.class,
        description = "Serves the models of a folder by REST and gRPC, until the process is told to end.")
final class ServerCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    /** Adds the flags of {@link ServeFlag} and the folders. */
    static final class Flags implements IModelTransformer {
        /** Called by picocli. */
        Flags() {}

        @Override
        public CommandSpec transform(CommandSpec command) {
            for (ServeFlag each : ServeFlag.values()) {
                command.addOption(option(each));
            }
            return command.addPositional(PositionalParamSpec.builder()
                    .index("0..*")
                    .arity("0..*")
                    .paramLabel("FOLDER")
                    .type(List.class)
                    .auxiliaryTypes(String.class)
                    .description(
                            "Folders of models: MODEL/config.pbtxt and MODEL/VERSION/model.onnx, or MODEL.onnx. With"
                                    + " millrace-models-s3 on the class path, folders in S3, too: s3://BUCKET/FOLDER/.")
                    .build());
        }

        private static OptionSpec option(ServeFlag flag) {
            OptionSpec.Builder option =
                    OptionSpec.builder(flag.flag()).paramLabel(flag.label()).description(flag.description());
            return switch (flag.kind()) {
                case SWITCH -> option.arity("0").type(boolean.class).build();
                case VALUE -> option.arity("1").type(String.class).build();
                case LIST ->
                    option.arity("1")
                            .type(List.class)
                            .auxiliaryTypes(String.class)
                            .build();
            };
        }
    }

    @Override
    public Integer call() throws IOException {
        CommandLine line = spec.commandLine();
        return new ServerRun(flags(line.getParseResult()), line.getOut()).call();
    }

    static ServeFlags flags(ParseResult parsed) {
        var flags = new ServeFlags();
        CommandSpec command = parsed.commandSpec();
        for (ServeFlag each : ServeFlag.values()) {
            OptionSpec option = command.findOption(each.flag());
            if (parsed.hasMatchedOption(option)) {
                option.stringValues().forEach(value -> flags.add(each, each.flag(), value));
            }
        }
        command.positionalParameters().getFirst().stringValues().forEach(flags::addFolder);
        return flags;
    }
}
