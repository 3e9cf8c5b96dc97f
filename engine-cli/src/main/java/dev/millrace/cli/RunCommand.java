package dev.millrace.cli;

import dev.millrace.cli.io.DatumJson;
import dev.millrace.cli.io.DatumText;
import dev.millrace.cli.io.InputFiles;
import dev.millrace.cli.io.Npy;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.PlainText;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.inspect.Profile;
import dev.millrace.scheduler.event.ChromeTrace;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.core.exc.JacksonIOException;
import tools.jackson.core.json.JsonFactory;

/** Runs a model. */
@Command(
        name = "run",
        mixinStandardHelpOptions = true,
        description = "Runs a model on inputs from files, or on inputs that are made up.")
final class RunCommand implements Callable<Integer> {
    /** How outputs are shown. */
    enum Format {
        TEXT,
        JSON,
        NPY
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "MODEL", description = ModelArgument.DESCRIPTION)
    private String model = "";

    @Option(
            names = {"-i", "--input"},
            paramLabel = "NAME=VALUE",
            description = "An input: a value like sr=16000, x=0.5,1,2 or ids=[[1,2],[3,4]], or a .npy or .pb file."
                    + " Those that are not given are made up.")
    private List<String> values = new ArrayList<>();

    @Option(
            names = "--random",
            paramLabel = "SEED",
            description = "The seed for inputs that are made up (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private long seed;

    @Option(
            names = "--shape",
            paramLabel = "NAME=EXTENTS",
            description = "The shape of an input that is made up, like x=1,3,224,224; other inputs follow where extents"
                    + " have one name. Free extents are otherwise what such models usually take, or 1.")
    private List<String> shapes = new ArrayList<>();

    @Option(
            names = "--format",
            description = "How to show outputs: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
            defaultValue = "TEXT")
    private Format format = Format.TEXT;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "PATH",
            description = "Where to write: the folder for npy files, the file for json (default: standard output).")
    private @Nullable Path output;

    @Option(names = "--elements", paramLabel = "N", description = "Elements shown as text.", defaultValue = "8")
    private int elements;

    @Option(names = "--runs", paramLabel = "N", description = "Run so many times.", defaultValue = "1")
    private int runs;

    @Option(
            names = "--context-cache",
            paramLabel = "DIR",
            defaultValue = "${env:MILLRACE_CONTEXT_CACHE}",
            description = "Keep what is compiled in this folder, and start from it the next time"
                    + " (default: what the environment's MILLRACE_CONTEXT_CACHE says, or nowhere).")
    private @Nullable Path contextCache;

    @Option(names = "--trace", paramLabel = "FILE", description = "Write a Chrome trace of the runs.")
    private @Nullable Path trace;

    @Option(names = "--profile", description = "Print the time of each kernel; best with some --runs.")
    private boolean profile;

    @Option(names = "--by-node", description = "With --profile: a line for each node, rather than for each kernel.")
    private boolean byNode;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        UsageException.requireAtLeast(1, "--runs", runs);
        UsageException.requireAtLeast(0, "--elements", elements);
        ModelArgument argument = ModelArgument.of(model);
        OutputFile.mayBe(output, argument);
        OutputFile.mayBe(trace, argument);
        try (Engine engine = flags.engine(contextCache);
                Session session = engine.session(argument.file(), flags.options());
                ChromeTrace listener = trace == null ? null : ChromeTrace.to(trace)) {
            Inputs inputs = inputs(argument, session);
            var times = new Profile(byNode);
            RunListener all = RunListener.both(listener, profile ? times : null);
            RunOptions options = RunOptions.builder().listener(all).build();
            for (int i = 1; i < runs; i++) {
                session.run(inputs, options).close();
                if (i == 1) {
                    times.clear();
                }
            }
            try (Outputs outputs = session.run(inputs, options)) {
                show(outputs, argument);
            }
            if (profile) {
                times.print(spec.commandLine().getOut());
            }
        }
        return ExitCode.OK;
    }

    private Inputs inputs(ModelArgument argument, Session session) throws IOException {
        var inputs = InputFiles.read(values, session.inputs());
        new InputMaker(argument.known(), ShapeFlag.parse(shapes), seed)
                .make(session.inputs(), inputs)
                .asMap()
                .forEach(inputs::and);
        return inputs;
    }

    private void show(Outputs outputs, ModelArgument argument) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        switch (format) {
            case TEXT ->
                outputs.asMap()
                        .forEach((name, value) ->
                                out.println(PlainText.line(name) + ": " + DatumText.of(value, elements)));
            case JSON -> showJson(outputs, out);
            case NPY -> showNpy(outputs, argument, out);
        }
        out.flush();
    }

    private void showJson(Outputs outputs, PrintWriter standard) throws IOException {
        if (output == null) {
            writeJson(outputs, standard);
            return;
        }
        try (Writer file = Files.newBufferedWriter(output)) {
            writeJson(outputs, file);
        }
    }

    private static void writeJson(Outputs outputs, Writer out) throws IOException {
        JsonFactory factory = JsonFactory.builder()
                .disable(StreamWriteFeature.AUTO_CLOSE_TARGET)
                .build();
        try (JsonGenerator json = factory.createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            outputs.asMap().forEach((name, value) -> {
                json.writeName(name);
                DatumJson.write(json, value);
            });
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (JacksonIOException e) {
            throw e.getCause();
        }
    }

    private void showNpy(Outputs outputs, ModelArgument argument, PrintWriter out) throws IOException {
        Path folder = output == null ? Path.of("") : output;
        Files.createDirectories(folder.toAbsolutePath());
        for (String name : outputs.names()) {
            if (!(outputs.datum(name) instanceof Tensor tensor)) {
                throw EngineException.invalidArgument("output '" + name + "' is no tensor; use --format json");
            }
            Path file = folder.resolve(name.replaceAll("[^A-Za-z0-9._-]", "_") + ".npy");
            OutputFile.mayBe(file, argument);
            Npy.write(file, tensor);
            out.println(file);
        }
    }
}
