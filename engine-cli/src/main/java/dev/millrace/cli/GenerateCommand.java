package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.text.Completion;
import dev.millrace.text.ModelFolder;
import dev.millrace.text.TextGenerator;
import dev.millrace.text.Tokenizer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

    @Parameters(
            index = "0",
            paramLabel = "MODEL",
            description = "A folder of a language model, a model file, or a name that 'models' lists.")
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

    @Option(
            names = "--min-p",
            paramLabel = "P",
            defaultValue = "0",
            description = "Draw no token whose chance is less than this part of the likeliest one's.")
    private double minP;

    @Option(
            names = "--frequency-penalty",
            paramLabel = "X",
            defaultValue = "0",
            description = "Lower a token's score by so much for each time that it stands in the answer.")
    private double frequencyPenalty;

    @Option(
            names = "--presence-penalty",
            paramLabel = "X",
            defaultValue = "0",
            description = "Lower a token's score by so much if it stands in the answer.")
    private double presencePenalty;

    @Option(
            names = "--no-repeat-ngram",
            paramLabel = "N",
            defaultValue = "0",
            description = "Repeat no phrase of N tokens; 0 (default) allows all.")
    private int noRepeatNgram;

    @Option(
            names = "--logit-bias",
            paramLabel = "TOKEN=X",
            description = "Add a number to the score of a token, given as text or number; -Infinity forbids it.")
    private Map<String, Double> logitBias = new LinkedHashMap<>();

    @Option(names = "--seed", paramLabel = "SEED", description = "Draw the same as any time with this seed.")
    private @Nullable Long seed;

    @Option(names = "--stop", paramLabel = "TEXT", description = "Stop before this text; may be given several times.")
    private List<String> stops = new ArrayList<>();

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

    @Option(names = "--time-limit", paramLabel = "SECONDS", description = "Fail where it takes longer.")
    private @Nullable Integer timeLimit;

    @Option(names = "--stats", description = "Print how many tokens there were, and how fast, to the standard error.")
    private boolean stats;

    @Mixin
    private ConstraintFlags constraint = new ConstraintFlags();

    @Mixin
    private SessionFlags flags = new SessionFlags();

    @Override
    public Integer call() throws IOException {
        GenerationOptions options = options();
        Path file = ModelArgument.of(model).file();
        ModelFolder folder = tokenizer == null && Files.isDirectory(file) ? ModelFolder.read(file) : null;
        Tokenizer read = Tokenizer.read(folder == null ? tokenizerOf(file) : folder.tokenizer());
        GenerationOptions.Builder generation =
                options.toBuilder().stopTokens(ends(read, folder)).constraint(constraint.constraint(read));
        logitBias.forEach((token, bias) -> generation.logitBias(id(read, token), bias));
        String text = prompt.equals("-") ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8) : prompt;
        PrintWriter out = spec.commandLine().getOut();
        long opening = System.nanoTime();
        try (Engine engine = flags.engine();
                Session session = engine.session(folder == null ? file : folder.model(), flags.options())) {
            TextGenerator generator = TextGenerator.of(Generator.of(session, signature(session, folder)), read)
                    .stoppingAt(stops.toArray(new String[0]));
            var pace = new GenerationPace(opening);
            Completion completion = generator.run(text, generation.build(), piece -> {
                pace.heard();
                out.print(piece);
                out.flush();
            });
            out.println();
            if (stats) {
                spec.commandLine().getErr().println(pace.text(read.encode(text).ids().length, completion));
            }
        }
        return ExitCode.OK;
    }

    private GenerationOptions options() {
        constraint.check();
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
                    .minP(minP)
                    .repetitionPenalty(repetitionPenalty)
                    .frequencyPenalty(frequencyPenalty)
                    .presencePenalty(presencePenalty)
                    .noRepeatNgram(noRepeatNgram)
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
        return stopTokens.stream().mapToLong(token -> id(read, token)).toArray();
    }

    /** Returns a token that is given by its text or its number. */
    private static long id(Tokenizer read, String token) {
        return !read.has(token) && token.matches("\\d{1,9}") ? Long.parseLong(token) : read.id(token);
    }

    private DecoderSignature signature(Session session, @Nullable ModelFolder folder) {
        DecoderSignature.Builder signature = DecoderSignature.builder(session);
        int known = folder == null ? 0 : folder.contextLength();
        int length = context == null ? known : context;
        return (length == 0 ? signature : signature.contextLength(length)).build();
    }
}
