package dev.millrace.cli;

import dev.millrace.graph.EngineException;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Mirostat;
import dev.millrace.text.Adapter;
import dev.millrace.text.Tokenizer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of commands that generate text: how tokens are chosen, and when a text ends. */
final class GenerationFlags {
    private static final double USUAL_RATE = 0.1;

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description = "Stop after so many tokens (default: 256).")
    private @Nullable Integer maxTokens;

    @Option(
            names = {"-t", "--temperature"},
            paramLabel = "T",
            description = "0 for the likeliest token each time; 0.7 or 1 draws them by chance.")
    private @Nullable Double temperature;

    @Option(names = "--top-k", paramLabel = "K", description = "Draw from the K likeliest tokens.")
    private @Nullable Integer topK;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description = "Draw from the likeliest tokens that have this share of the chances together.")
    private @Nullable Double topP;

    @Option(
            names = "--min-p",
            paramLabel = "P",
            description = "Draw no token whose chance is less than this part of the likeliest one's.")
    private @Nullable Double minP;

    @Option(
            names = "--typical-p",
            paramLabel = "P",
            description = "Draw from the tokens whose surprise is nearest to the expected one, which have this share"
                    + " together.")
    private @Nullable Double typicalP;

    @Option(
            names = "--mirostat",
            paramLabel = "BITS",
            description = "Keep the surprise of drawn tokens near so many bits (mirostat 2.0).")
    private @Nullable Double mirostat;

    @Option(
            names = "--mirostat-rate",
            paramLabel = "X",
            description = "How fast mirostat follows the surprise (default: 0.1).")
    private @Nullable Double mirostatRate;

    @Option(
            names = "--repetition-penalty",
            paramLabel = "X",
            description = "Above 1, what is there already becomes less likely.")
    private @Nullable Double repetitionPenalty;

    @Option(
            names = "--frequency-penalty",
            paramLabel = "X",
            description = "Lower a token's score by so much for each time that it stands in the answer.")
    private @Nullable Double frequencyPenalty;

    @Option(
            names = "--presence-penalty",
            paramLabel = "X",
            description = "Lower a token's score by so much if it stands in the answer.")
    private @Nullable Double presencePenalty;

    @Option(names = "--no-repeat-ngram", paramLabel = "N", description = "Repeat no phrase of N tokens; 0 allows all.")
    private @Nullable Integer noRepeatNgram;

    @Option(
            names = "--speculative-tokens",
            paramLabel = "N",
            description = "Guess up to N tokens from earlier phrases, and check them in the run of the next token.")
    private @Nullable Integer speculativeTokens;

    @Option(
            names = "--logit-bias",
            paramLabel = "TOKEN=X",
            description = "Add a number to the score of a token, given as text or number; -Infinity forbids it.")
    private Map<String, Double> logitBias = new LinkedHashMap<>();

    @Option(names = "--seed", paramLabel = "SEED", description = "Draw the same as any time with this seed.")
    private @Nullable Long seed;

    @Option(names = "--stop", paramLabel = "TEXT", description = "Stop before this text; may be given several times.")
    private List<String> stops = new ArrayList<>();

    @Option(names = "--time-limit", paramLabel = "SECONDS", description = "Fail where an answer takes longer.")
    private @Nullable Integer timeLimit;

    @Option(
            names = "--adapter",
            paramLabel = "FILE",
            description = "Use a low-rank adapter (LoRA): an .onnx_adapter or .safetensors file.")
    private @Nullable Path adapter;

    /** Returns the adapter; null if none is given. */
    @Nullable
    Adapter adapter() {
        return adapter == null ? null : Adapter.read(adapter);
    }

    /** Returns options with what was given on the command line. */
    GenerationOptions over(GenerationOptions options) {
        UsageException.requireAtLeast(1, "--max-tokens", or(maxTokens, 1));
        UsageException.requireAtLeast(1, "--top-k", or(topK, 1));
        UsageException.requireAtLeast(1, "--time-limit", or(timeLimit, 1));
        if (mirostat == null && mirostatRate != null) {
            throw new UsageException("--mirostat-rate belongs to --mirostat, which is not given");
        }
        if (stops.contains("")) {
            throw new UsageException("--stop is an empty text, which every text has");
        }
        try {
            GenerationOptions.Builder builder = options.toBuilder()
                    .maxTokens(or(maxTokens, options.maxTokens()))
                    .temperature(or(temperature, options.temperature()))
                    .topP(or(topP, options.topP()))
                    .minP(or(minP, options.minP()))
                    .typicalP(or(typicalP, options.typicalP()))
                    .repetitionPenalty(or(repetitionPenalty, options.repetitionPenalty()))
                    .frequencyPenalty(or(frequencyPenalty, options.frequencyPenalty()))
                    .presencePenalty(or(presencePenalty, options.presencePenalty()))
                    .noRepeatNgram(or(noRepeatNgram, options.noRepeatNgram()))
                    .speculativeTokens(or(speculativeTokens, options.speculativeTokens()))
                    .timeLimit(timeLimit == null ? options.timeLimit() : Duration.ofSeconds(timeLimit));
            if (mirostat != null) {
                builder.mirostat(new Mirostat(mirostat, or(mirostatRate, USUAL_RATE)));
            }
            if (topK != null) {
                builder.topK(topK);
            }
            if (seed != null) {
                builder.seed(seed);
            }
            return builder.build();
        } catch (EngineException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static <T> T or(@Nullable T value, T otherwise) {
        return value == null ? otherwise : value;
    }

    /** Adds the biases, whose tokens the tokenizer knows. */
    void bias(GenerationOptions.Builder options, Tokenizer tokenizer) {
        logitBias.forEach((token, bias) -> options.logitBias(id(tokenizer, token), bias));
    }

    String[] stops() {
        return stops.toArray(new String[0]);
    }

    /** Returns a token that is given by its text or its number. */
    static long id(Tokenizer tokenizer, String token) {
        return !tokenizer.has(token) && token.matches("\\d{1,9}") ? Long.parseLong(token) : tokenizer.id(token);
    }
}
