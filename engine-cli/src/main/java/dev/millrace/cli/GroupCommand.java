package dev.millrace.cli;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.graph.EngineException;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.ModelCompiler;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import dev.millrace.session.SessionOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compiles models that have weights in common into one context binary. */
@Command(
        name = "ctx-gen",
        mixinStandardHelpOptions = true,
        description = {
            "Compiles models that have weights in common into one context binary, named after the first of them.",
            "Either all files are written, or none."
        })
final class GroupCommand implements Callable<Integer> {
    private static final String PLAIN = "cpu";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            paramLabel = "MODEL",
            arity = "1..*",
            split = ",",
            description = "Models, all in one folder: files, or names like hf:ORG/NAME/onnx/model.onnx.")
    private List<String> models = new ArrayList<>();

    @Option(
            names = "-e",
            paramLabel = "PROVIDER",
            description = "The provider that compiles (default: ${DEFAULT-VALUE}).",
            defaultValue = "simd")
    private String provider = "simd";

    @Option(names = "-i", paramLabel = "OPTIONS", description = "Options of the provider: 'name|value other|value'.")
    private @Nullable String options;

    @Option(
            names = "-C",
            paramLabel = "ENTRIES",
            description = "Entries of the session's configuration by ONNX Runtime's keys: 'key|value other|value'.")
    private @Nullable String configuration;

    @Mixin
    private LibraryFlag libraries = new LibraryFlag();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FOLDER",
            description = "The folder for all files; by default that of the models.")
    private @Nullable Path folder;

    @Option(names = "--replace", description = "Replace what stands there.")
    private boolean replace;

    @Override
    public Integer call() {
        var session = SessionOptions.builder().provider(provider, parse(options));
        parse(configuration).forEach(session::config);
        if (!provider.equals(PLAIN)) {
            session.provider(PLAIN);
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Engine engine = libraries.registeredWith(Engine.create());
                ContextGroup group = ContextGroup.create();
                var progress = Progress.of("compiling", models.size())) {
            ModelCompiler compiler = engine.compiler(CompileOptions.of(session.build())
                    .group(group)
                    .errorIfNothingCompiled(true)
                    .errorIfOutputExists(!replace)
                    .build());
            for (String each : models) {
                Path model = ModelArgument.of(each).file();
                compiler.compile(ModelInput.file(model), target(model));
                progress.step();
            }
            group.write().forEach(out::println);
        }
        out.flush();
        return ExitCode.OK;
    }

    private ModelOutput target(Path model) {
        if (folder == null) {
            return ModelOutput.besideSource();
        }
        String name = String.valueOf(model.getFileName());
        int dot = name.lastIndexOf('.');
        return ModelOutput.file(folder.resolve((dot > 0 ? name.substring(0, dot) : name) + "_ctx.onnx"));
    }

    private static Map<String, String> parse(@Nullable String text) {
        var options = new LinkedHashMap<String, String>();
        if (text == null) {
            return options;
        }
        for (String each : text.split("\\s+", -1)) {
            int bar = each.indexOf('|');
            if (bar > 0) {
                options.put(each.substring(0, bar), each.substring(bar + 1));
            } else if (!each.isEmpty()) {
                throw EngineException.invalidArgument("'" + each + "' is no entry of options; write it as name|value");
            }
        }
        return options;
    }
}
