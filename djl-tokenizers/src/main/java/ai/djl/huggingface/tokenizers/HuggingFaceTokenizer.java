package ai.djl.huggingface.tokenizers;

import ai.djl.huggingface.tokenizers.TokenCuts.Side;
import ai.djl.huggingface.tokenizers.TokenRows.SourceText;
import ai.djl.modality.nlp.preprocess.Tokenizer;
import ai.djl.ndarray.NDManager;
import ai.djl.util.NativeResource;
import ai.djl.util.Pair;
import ai.djl.util.PairList;
import dev.millrace.text.PadToken;
import dev.millrace.text.TextTokens;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A tokenizer of Hugging Face, in Java. It holds no native memory: it is closed so that programs that use a closed one fail here as
 * well. Any number of threads may use it.
 */
public final class HuggingFaceTokenizer extends NativeResource<Long> implements Tokenizer {
    /** The version of the API that this one is equal to. */
    private static final String VERSION = "0.21.0-0.36.0";

    private static final AtomicLong HANDLES = new AtomicLong(1);

    private final dev.millrace.text.Tokenizer tokenizer;
    private final TokenizerOptions options;
    private final PadToken pad;
    private final int maxLength;
    private final boolean addsSpecialTokens;
    private final boolean cleansUp;

    private HuggingFaceTokenizer(
            dev.millrace.text.Tokenizer tokenizer, TokenizerOptions options, @Nullable TokenizerConfig given) {
        super(HANDLES.getAndIncrement());
        TokenizerConfig config = given == null ? new TokenizerConfig() : given;
        this.maxLength = options.mostTokens(tokenizer.mostTokens(), config);
        this.tokenizer = tokenizer.unbounded();
        this.options = options;
        this.pad = config.pad(tokenizer);
        this.addsSpecialTokens = options.addsSpecialTokens(given);
        this.cleansUp = config.isCleanUpTokenizationSpaces();
    }

    /** Refuses names of models: nothing is fetched here. */
    public static HuggingFaceTokenizer newInstance(String name) {
        return newInstance(name, Map.of());
    }

    /** Refuses names of models: nothing is fetched here. */
    public static HuggingFaceTokenizer newInstance(String name, @Nullable Map<String, String> options) {
        throw new UnsupportedOperationException("tokenizer '" + name
                + "' is not fetched from a hub; pass the path of its tokenizer.json to newInstance(Path)");
    }

    /** Reads a {@code tokenizer.json}, or the one in a folder. */
    public static HuggingFaceTokenizer newInstance(Path modelPath) throws IOException {
        return newInstance(modelPath, null);
    }

    /** Reads a {@code tokenizer.json}, or the one in a folder. */
    public static HuggingFaceTokenizer newInstance(Path modelPath, @Nullable Map<String, String> options)
            throws IOException {
        return newInstance(modelPath, (String) null, options);
    }

    /** Reads a {@code tokenizer.json} and a {@code tokenizer_config.json}. */
    public static HuggingFaceTokenizer newInstance(
            Path modelPath, @Nullable String configPath, @Nullable Map<String, String> options) throws IOException {
        return open(modelPath, configPath, TokenizerOptions.of(options));
    }

    private static HuggingFaceTokenizer open(Path path, @Nullable String configPath, TokenizerOptions options)
            throws IOException {
        Path file = Files.isDirectory(path) ? path.resolve("tokenizer.json") : path;
        TokenizerConfig config = configPath == null ? null : TokenizerConfig.load(Path.of(configPath));
        try (InputStream in = Files.newInputStream(file)) {
            return open(in, options, config);
        }
    }

    /** Refuses files of a vocabulary and of merges. */
    public static HuggingFaceTokenizer newInstance(Path vocab, Path merges, @Nullable Map<String, String> options)
            throws IOException {
        throw new UnsupportedOperationException(
                "a vocabulary and its merges are not read; save the tokenizer as tokenizer.json, by save_pretrained");
    }

    /** Reads the content of a {@code tokenizer.json}. */
    public static HuggingFaceTokenizer newInstance(InputStream is, @Nullable Map<String, String> options)
            throws IOException {
        return newInstance(is, options, null);
    }

    /** Reads the content of a {@code tokenizer.json}. */
    public static HuggingFaceTokenizer newInstance(
            InputStream is, @Nullable Map<String, String> options, @Nullable TokenizerConfig config)
            throws IOException {
        return open(is, TokenizerOptions.of(options), config);
    }

    private static HuggingFaceTokenizer open(InputStream is, TokenizerOptions options, @Nullable TokenizerConfig config)
            throws IOException {
        return new HuggingFaceTokenizer(dev.millrace.text.Tokenizer.of(is.readAllBytes()), options, config);
    }

    public String getVersion() {
        return VERSION;
    }

    @Override
    public List<String> tokenize(String sentence) {
        return Arrays.asList(encode(sentence).getTokens());
    }

    @Override
    public String buildSentence(List<String> tokens) {
        return String.join(" ", tokens).replace(" ##", "").trim();
    }

    @Override
    @SuppressWarnings("NullAway") // DJL's own class takes null for what is closed
    public void close() {
        handle.set(null);
    }

    private TokenCuts cuts(boolean addSpecialTokens) {
        getHandle(); // throws if this is closed
        return new TokenCuts(
                addSpecialTokens ? tokenizer : tokenizer.withoutMarks(), options.truncation, maxLength, options.stride);
    }

    private Side side(@Nullable String text) {
        String read = options.read(Objects.requireNonNull(text, "text cannot be null"));
        return new Side(tokenizer.tokens(read), new SourceText(List.of(read), true));
    }

    private Side words(List<String> words) {
        List<String> read = words.stream()
                .map(word -> options.read(Objects.requireNonNull(word, "word cannot be null")))
                .toList();
        TextTokens tokens =
                TextTokens.ofWords(read.stream().map(tokenizer::tokens).toList());
        return new Side(tokens, new SourceText(read, false));
    }

    public Encoding encode(String text, boolean addSpecialTokens, boolean withOverflowingTokens) {
        return padded(List.of(cuts(addSpecialTokens).encode(side(text))), withOverflowingTokens)[0];
    }

    public Encoding encode(String text) {
        return encode(text, addsSpecialTokens, options.withOverflowingTokens);
    }

    public Encoding encode(String text, String textPair, boolean addSpecialTokens, boolean withOverflowingTokens) {
        return padded(List.of(cuts(addSpecialTokens).encode(side(text), side(textPair))), withOverflowingTokens)[0];
    }

    public Encoding encode(String text, String textPair) {
        return encode(text, textPair, addsSpecialTokens, options.withOverflowingTokens);
    }

    /** Encodes a text that is split into words already. */
    public Encoding encode(List<String> inputs, boolean addSpecialTokens, boolean withOverflowingTokens) {
        return padded(List.of(cuts(addSpecialTokens).encode(words(inputs))), withOverflowingTokens)[0];
    }

    public Encoding encode(List<String> inputs) {
        return encode(inputs, addsSpecialTokens, options.withOverflowingTokens);
    }

    public Encoding encode(String[] inputs, boolean addSpecialTokens, boolean withOverflowingTokens) {
        return encode(Arrays.asList(inputs), addSpecialTokens, withOverflowingTokens);
    }

    public Encoding encode(String[] inputs) {
        return encode(Arrays.asList(inputs));
    }

    public Encoding[] batchEncode(List<String> inputs, boolean addSpecialTokens, boolean withOverflowingTokens) {
        TokenCuts cuts = cuts(addSpecialTokens);
        return padded(
                inputs.stream()
                        .map(text -> cuts.encode(side(Objects.requireNonNull(text, "input text cannot be null"))))
                        .toList(),
                withOverflowingTokens);
    }

    public Encoding[] batchEncode(List<String> inputs) {
        return batchEncode(inputs, addsSpecialTokens, options.withOverflowingTokens);
    }

    public Encoding[] batchEncode(String[] inputs, boolean addSpecialTokens, boolean withOverflowingTokens) {
        return batchEncode(Arrays.asList(inputs), addSpecialTokens, withOverflowingTokens);
    }

    public Encoding[] batchEncode(String[] inputs) {
        return batchEncode(Arrays.asList(inputs));
    }

    public Encoding[] batchEncode(
            PairList<String, String> inputs, boolean addSpecialTokens, boolean withOverflowingTokens) {
        TokenCuts cuts = cuts(addSpecialTokens);
        return padded(
                inputs.stream()
                        .map((Pair<String, String> pair) -> cuts.encode(side(pair.getKey()), side(pair.getValue())))
                        .toList(),
                withOverflowingTokens);
    }

    public Encoding[] batchEncode(PairList<String, String> inputs) {
        return batchEncode(inputs, addsSpecialTokens, options.withOverflowingTokens);
    }

    private Encoding[] padded(List<TokenRows> rows, boolean withOverflow) {
        int longest = rows.stream().mapToInt(TokenRows::length).max().orElse(0);
        int to = options.paddedLength(longest, maxLength);
        PadToken with = options.padding == TokenizerOptions.Padding.DO_NOT_PAD ? null : pad;
        return rows.stream().map(each -> each.padded(to, with, withOverflow)).toArray(Encoding[]::new);
    }

    public String decode(long[] ids, boolean skipSpecialTokens) {
        return cleansUp ? CleanedText.of(text(ids, skipSpecialTokens)) : text(ids, skipSpecialTokens);
    }

    private String text(long[] ids, boolean skipSpecialTokens) {
        getHandle(); // throws if this is closed
        return skipSpecialTokens ? tokenizer.decode(ids) : tokenizer.decodeAll(ids);
    }

    /** Decodes ids, with special tokens unless the tokenizer was made without them. */
    public String decode(long[] ids) {
        return decode(ids, !addsSpecialTokens);
    }

    /** Decodes ids, without the clean-up of spaces that a configuration may ask for. */
    public String[] batchDecode(long[][] batchIds, boolean skipSpecialTokens) {
        return Arrays.stream(batchIds).map(ids -> text(ids, skipSpecialTokens)).toArray(String[]::new);
    }

    public String[] batchDecode(long[][] batchIds) {
        return batchDecode(batchIds, !addsSpecialTokens);
    }

    public String getTruncation() {
        return options.truncation == null ? "DO_NOT_TRUNCATE" : options.truncation.name();
    }

    public String getPadding() {
        return options.padding.name();
    }

    public int getMaxLength() {
        return maxLength;
    }

    public int getStride() {
        return options.stride;
    }

    public int getPadToMultipleOf() {
        return options.padToMultipleOf;
    }

    public static Builder builder() {
        return new Builder();
    }

    public static Builder builder(Map<String, ?> arguments) {
        var builder = new Builder();
        builder.configure(arguments);
        return builder;
    }

    /** A builder of tokenizers. */
    public static final class Builder {
        private final TokenizerOptions options = new TokenizerOptions();
        private @Nullable String name;
        private @Nullable Path path;
        private @Nullable String config;

        Builder() {
            options.addSpecialTokens = true;
        }

        public Builder optManager(NDManager manager) {
            return this;
        }

        public Builder optTokenizerName(String tokenizerName) {
            name = tokenizerName;
            return this;
        }

        public Builder optTokenizerPath(Path tokenizerPath) {
            path = tokenizerPath;
            return this;
        }

        public Builder optAddSpecialTokens(boolean addSpecialTokens) {
            return option("addSpecialTokens", addSpecialTokens);
        }

        public Builder optWithOverflowingTokens(boolean withOverflowingTokens) {
            return option("withOverflowingTokens", withOverflowingTokens);
        }

        public Builder optTruncation(boolean enabled) {
            return option("truncation", enabled);
        }

        public Builder optTruncateFirstOnly() {
            return option("truncation", "only_first");
        }

        public Builder optTruncateSecondOnly() {
            return option("truncation", "only_second");
        }

        public Builder optPadding(boolean enabled) {
            return option("padding", enabled);
        }

        public Builder optPadToMaxLength() {
            return option("padding", "max_length");
        }

        private Builder option(String key, Object value) {
            options.configure(Map.of(key, value));
            return this;
        }

        public Builder optMaxLength(int maxLength) {
            return option("maxLength", maxLength);
        }

        public Builder optPadToMultipleOf(int padToMultipleOf) {
            return option("padToMultipleOf", padToMultipleOf);
        }

        public Builder optStride(int stride) {
            return option("stride", stride);
        }

        public Builder optDoLowerCase(boolean doLowerCase) {
            return option("doLowerCase", doLowerCase);
        }

        public Builder optDoLowerCase(String locale) {
            return option("doLowerCase", locale);
        }

        public Builder optTokenizerConfigPath(String configPath) {
            config = configPath;
            return this;
        }

        /** Sets options by their names. */
        public void configure(Map<String, ?> arguments) {
            options.configure(arguments);
            Object tokenizer = arguments.get("tokenizer");
            name = tokenizer == null ? name : tokenizer.toString();
            Object file = arguments.get("tokenizerPath");
            path = file == null ? path : Path.of(file.toString());
            Object configFile = arguments.get("tokenizerConfigPath");
            config = configFile == null ? config : configFile.toString();
        }

        public HuggingFaceTokenizer build() throws IOException {
            if (path == null) {
                if (name == null) {
                    throw new IllegalArgumentException("the tokenizer has no path; set it by optTokenizerPath");
                }
                return newInstance(name);
            }
            if (config != null && Files.notExists(Path.of(config))) {
                throw new NoSuchFileException(config, null, "there is no such tokenizer configuration");
            }
            return open(path, config, options);
        }
    }
}
