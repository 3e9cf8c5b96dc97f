package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.text.Adapter;
import dev.millrace.text.Completion;
import dev.millrace.text.ModelFolder;
import dev.millrace.text.TextGenerator;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
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

/** Lets a language model go on with a text. */
@Command(
        name = "generate",
        mixinStandardHelpOptions = true,
        description = "Lets a language model go on with a text, and prints what it says as it says it.")
final class GenerateCommand implements Callable<Integer> {
    private static final List<String> ENDS = List.of(
            "</s>",
            "<eos>",
            "<|endoftext|>",
            "<|end_of_text|>",
            "<|eot_id|>",
            "<|im_end|>",
            "<|end|>",
            "<end_of_turn>");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(index = "0", paramLabel = "MODEL", description = ModelArgument.FOLDER_DESCRIPTION)
    private String model = "";

    @Parameters(index = "1", paramLabel = "PROMPT", description = "The text to go on with; - reads the standard input.")
    private String prompt = "";

    @Option(
            names = "--tokenizer",
            paramLabel = "FILE",
            description = "The model's tokenizer.json (default: the one beside the model).")
    private @Nullable Path tokenizer;

    @Option(
            names = "--stop-token",
            paramLabel = "TOKEN",
            description =
                    "Stop at this token, by its text or number; may be given several times (default: those that the"
                            + " folder's files name, else the usual marks of an end, like </s> or <|im_end|>, that the"
                            + " tokenizer has).")
    private List<String> stopTokens = new ArrayList<>();

    @Option(
            names = "--context",
            paramLabel = "N",
            description =
                    "How many tokens the model sees at most, prompt included (default: what the folder's files say).")
    private @Nullable Integer context;

    @Option(
            names = "--beams",
            paramLabel = "N",
            description = "Follow N texts at a time, and print the most likely one as a whole.")
    private @Nullable Integer beams;

    @Option(names = "--stats", description = "Print how many tokens there were, and how fast, to the standard error.")
    private boolean stats;

    @Mixin
    private GenerationFlags generation = new GenerationFlags();

    @Mixin
    private ConstraintFlags constraint = new ConstraintFlags();

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        constraint.check();
        UsageException.requireAtLeast(1, "--beams", beams == null ? 1 : beams);
        UsageException.requireAtLeast(1, "--context", context == null ? 1 : context);
        GenerationOptions options = generation.over(GenerationOptions.defaults());
        Path file = ModelArgument.withFolder(model).file();
        boolean hasFolder = Files.isDirectory(file) || model.startsWith(ModelArgument.HUB);
        ModelFolder folder = tokenizer == null && hasFolder ? ModelFolder.read(file) : null;
        Tokenizer read = Tokenizer.read(folder == null ? tokenizerOf(file) : folder.tokenizer());
        GenerationOptions.Builder complete =
                options.toBuilder().stopTokens(ends(read, folder)).constraint(constraint.constraint(read));
        generation.bias(complete, read);
        String text = prompt.equals("-") ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : prompt;
        PrintWriter out = spec.commandLine().getOut();
        long opening = System.nanoTime();
        try (Engine engine = flags.engine();
                Session session = engine.session(folder == null ? file : folder.model(), flags.options())) {
            Generator tokens = Generator.of(session, signature(session, folder));
            Adapter adapter = generation.adapter();
            TextGenerator generator = TextGenerator.of(adapter == null ? tokens : tokens.with(adapter.tensors()), read)
                    .stoppingAt(generation.stops());
            var pace = new GenerationPace(opening);
            Completion completion = beams == null
                    ? generator.run(text, complete.build(), piece -> {
                        pace.heard();
                        print(out, piece);
                    })
                    : best(generator, text, complete.build(), beams);
            if (beams != null) {
                pace.heard();
                print(out, completion.text());
            }
            out.println();
            if (stats) {
                spec.commandLine().getErr().println(pace.text(completion));
            }
        }
        return ExitCode.OK;
    }

    private static void print(PrintWriter out, String text) {
        out.print(text);
        out.flush();
    }

    private static Completion best(TextGenerator generator, String text, GenerationOptions options, int beams) {
        BeamOptions search = BeamOptions.builder().beams(beams).build();
        return generator.beams(text, options, search).getFirst().completion();
    }

    private Path tokenizerOf(Path model) {
        if (tokenizer != null) {
            return tokenizer;
        }
        Path file = model.resolveSibling("tokenizer.json");
        if (!Files.exists(file)) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "there is no tokenizer.json beside " + model + ": say where it is by --tokenizer");
        }
        return file;
    }

    private long[] ends(Tokenizer read, @Nullable ModelFolder folder) {
        if (stopTokens.isEmpty()
                && folder != null
                && !folder.defaults().stopTokens().isEmpty()) {
            return folder.defaults().stopTokens().stream()
                    .mapToLong(Long::longValue)
                    .toArray();
        }
        if (stopTokens.isEmpty()) {
            return ENDS.stream().filter(read::has).mapToLong(read::id).toArray();
        }
        return stopTokens.stream()
                .mapToLong(token -> GenerationFlags.id(read, token))
                .toArray();
    }

    private DecoderSignature signature(Session session, @Nullable ModelFolder folder) {
        DecoderSignature.Builder signature =
                folder == null ? DecoderSignature.builder(session) : folder.signature(session);
        return (context == null ? signature : signature.contextLength(context)).build();
    }
}
