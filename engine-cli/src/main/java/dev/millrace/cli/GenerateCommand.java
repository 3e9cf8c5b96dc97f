package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.text.Completion;
import dev.millrace.text.TextGenerator;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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

    @Parameters(index = "0", paramLabel = "MODEL", description = "A model file, or a name that 'models' lists.")
    private String model = "";

    @Parameters(index = "1", paramLabel = "PROMPT", description = "The text to go on with; - reads the standard input.")
    private String prompt = "";

    @Option(
            names = "--tokenizer",
            paramLabel = "FILE",
            description = "The model's tokenizer.json (default: the one beside the model).")
    private @Nullable Path tokenizer;

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            defaultValue = "256",
            description = "Stop after so many tokens (default: ${DEFAULT-VALUE}).")
    private int maxTokens;

    @Option(
            names = {"-t", "--temperature"},
            paramLabel = "T",
            defaultValue = "0",
            description = "0 (default) for the likeliest token each time; 0.7 or 1 draws them by chance.")
    private double temperature;

    @Option(names = "--top-k", paramLabel = "K", description = "Draw from the K likeliest tokens.")
    private @Nullable Integer topK;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            defaultValue = "1",
            description = "Draw from the likeliest tokens that have this share of the chances together.")
    private double topP;

    @Option(
            names = "--repetition-penalty",
            paramLabel = "X",
            defaultValue = "1",
            description = "Above 1, what is there already becomes less likely.")
    private double repetitionPenalty;

    @Option(names = "--seed", paramLabel = "SEED", description = "Draw the same as any time with this seed.")
    private @Nullable Long seed;

    @Option(names = "--stop", paramLabel = "TEXT", description = "Stop before this text; may be given several times.")
    private List<String> stops = new ArrayList<>();

    @Option(
            names = "--stop-token",
            paramLabel = "TOKEN",
            description = "Stop at this token, by its text or number; may be given several times (default: the usual"
                    + " marks of an end, like </s> or <|im_end|>, that the tokenizer has).")
    private List<String> stopTokens = new ArrayList<>();

    @Option(
            names = "--context",
            paramLabel = "N",
            description = "How many tokens the model sees at most, prompt included.")
    private @Nullable Integer context;

    @Option(names = "--time-limit", paramLabel = "SECONDS", description = "Fail where it takes longer.")
    private @Nullable Integer timeLimit;

    @Option(names = "--stats", description = "Print how many tokens there were, and how fast, to the standard error.")
    private boolean stats;

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        GenerationOptions options = options();
        ModelArgument argument = ModelArgument.of(model);
        Tokenizer read = Tokenizer.read(tokenizer == null ? beside(argument.file()) : tokenizer);
        GenerationOptions generation =
                options.toBuilder().stopTokens(ends(read)).build();
        String text = prompt.equals("-") ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : prompt;
        PrintWriter out = spec.commandLine().getOut();
        try (Engine engine = flags.engine();
                Session session = engine.session(argument.file(), flags.options())) {
            TextGenerator generator = TextGenerator.of(Generator.of(session, signature(session)), read)
                    .stoppingAt(stops.toArray(new String[0]));
            long start = System.nanoTime();
            Completion completion = generator.run(text, generation, piece -> {
                out.print(piece);
                out.flush();
            });
            out.println();
            if (stats) {
                double seconds = (System.nanoTime() - start) / 1e9;
                spec.commandLine()
                        .getErr()
                        .println("%d tokens in %.2f s, %.1f a second; ended by %s"
                                .formatted(
                                        completion.tokens(),
                                        seconds,
                                        completion.tokens() / seconds,
                                        completion
                                                .ending()
                                                .toString()
                                                .toLowerCase(Locale.ROOT)
                                                .replace('_', ' ')));
            }
        }
        return ExitCode.OK;
    }

    private GenerationOptions options() {
        UsageException.requireAtLeast(1, "--max-tokens", maxTokens);
        UsageException.requireAtLeast(1, "--top-k", topK == null ? 1 : topK);
        UsageException.requireAtLeast(1, "--context", context == null ? 1 : context);
        UsageException.requireAtLeast(1, "--time-limit", timeLimit == null ? 1 : timeLimit);
        if (stops.contains("")) {
            throw new UsageException("--stop is an empty text, which every text has");
        }
        try {
            GenerationOptions.Builder generation = GenerationOptions.builder()
                    .maxTokens(maxTokens)
                    .temperature(temperature)
                    .topP(topP)
                    .repetitionPenalty(repetitionPenalty)
                    .timeLimit(timeLimit == null ? null : Duration.ofSeconds(timeLimit));
            if (topK != null) {
                generation.topK(topK);
            }
            if (seed != null) {
                generation.seed(seed);
            }
            return generation.build();
        } catch (EngineException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static Path beside(Path model) {
        Path file = model.resolveSibling("tokenizer.json");
        if (!Files.exists(file)) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "there is no tokenizer.json beside " + model + ": say where it is by --tokenizer");
        }
        return file;
    }

    private long[] ends(Tokenizer read) {
        if (stopTokens.isEmpty()) {
            return ENDS.stream().filter(read::has).mapToLong(read::id).toArray();
        }
        return stopTokens.stream()
                .mapToLong(
                        token -> !read.has(token) && token.matches("\\d{1,9}") ? Long.parseLong(token) : read.id(token))
                .toArray();
    }

    private DecoderSignature signature(Session session) {
        DecoderSignature.Builder signature = DecoderSignature.builder(session);
        return (context == null ? signature : signature.contextLength(context)).build();
    }
}
