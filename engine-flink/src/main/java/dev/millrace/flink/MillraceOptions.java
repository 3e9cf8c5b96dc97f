package dev.millrace.flink;

import dev.millrace.text.Pooling;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.jspecify.annotations.Nullable;

/** The options of {@code CREATE MODEL … WITH ('provider'='millrace', …)}. */
public final class MillraceOptions {
    /** The start of the names of session options, such as {@code session.maxBindings}. */
    public static final String SESSION_PREFIX = "session.";

    public static final ConfigOption<String> MODEL = ConfigOptions.key("model")
            .stringType()
            .noDefaultValue()
            .withDescription(
                    "The model's file: a path on each task manager, a file: URI, or cache:NAME for a file of the"
                            + " job's distributed cache.");
    public static final ConfigOption<String> DIGEST = ConfigOptions.key("digest")
            .stringType()
            .noDefaultValue()
            .withDescription("The SHA-256 that the file must have, in hexadecimal digits.");
    public static final ConfigOption<Integer> THREADS = ConfigOptions.key("threads")
            .intType()
            .defaultValue(0)
            .withDescription("Threads of the engine, which the models of a task manager share; 0 for as many as the"
                    + " process has processors. All models name the same number, or none.");
    public static final ConfigOption<MemorySize> MEMORY_BUDGET = ConfigOptions.key("memory-budget")
            .memoryType()
            .defaultValue(MemorySize.ZERO)
            .withDescription("Memory that the engine may keep outside of the heap between runs; 0 for its default. All"
                    + " models name the same size, or none.");
    public static final ConfigOption<Integer> BATCH_SIZE = ConfigOptions.key("batch.size")
            .intType()
            .defaultValue(32)
            .withDescription(
                    "The most rows that one run answers; 1 for no batches. Rows of all subtasks of a task manager"
                            + " share runs.");
    public static final ConfigOption<Duration> BATCH_DELAY = ConfigOptions.key("batch.delay")
            .durationType()
            .defaultValue(Duration.ofMillis(2))
            .withDescription("The longest time for which a row waits for others while a run is active.");
    public static final ConfigOption<Boolean> BATCH_PADDED = ConfigOptions.key("batch.padded")
            .booleanType()
            .defaultValue(false)
            .withDescription("Whether arrays of different lengths share runs, padded with zeros. For models that have a"
                    + " mask. Models of texts are always padded.");
    public static final ConfigOption<Duration> TIMEOUT = ConfigOptions.key("timeout")
            .durationType()
            .noDefaultValue()
            .withDescription("The time limit of a row; a row that takes longer fails, and its run is cancelled.");
    public static final ConfigOption<List<String>> EXECUTION_PROVIDERS = ConfigOptions.key("execution-providers")
            .stringType()
            .asList()
            .defaultValues()
            .withDescription(
                    "The execution providers in their order, separated by semicolons; all of them by default.");
    public static final ConfigOption<String> TASK = ConfigOptions.key("task")
            .stringType()
            .noDefaultValue()
            .withDescription("'embedding' for a model of texts: one column STRING, one column ARRAY<FLOAT>.");
    public static final ConfigOption<String> TOKENIZER = ConfigOptions.key("tokenizer")
            .stringType()
            .noDefaultValue()
            .withDescription(
                    "The tokenizer.json of a model of texts, as 'model' names files; by default the file beside the"
                            + " model. Makes the model one of texts.");
    public static final ConfigOption<Pooling> POOLING = ConfigOptions.key("pooling")
            .enumType(Pooling.class)
            .defaultValue(Pooling.MEAN)
            .withDescription("The way from the vectors of tokens to the vector of a text.");
    public static final ConfigOption<Boolean> NORMALISED = ConfigOptions.key("normalised")
            .booleanType()
            .defaultValue(true)
            .withDescription("Whether vectors of texts have length one.");
    public static final ConfigOption<Integer> MAX_TOKENS = ConfigOptions.key("max-tokens")
            .intType()
            .defaultValue(0)
            .withDescription(
                    "The number of tokens to which longer texts are cut; 0 for the number in the tokenizer's file, or"
                            + " 512 where it has none.");

    private static final String EMBEDDING = "embedding";

    private MillraceOptions() {}

    static Set<ConfigOption<?>> optional() {
        return Set.of(
                DIGEST,
                THREADS,
                MEMORY_BUDGET,
                BATCH_SIZE,
                BATCH_DELAY,
                BATCH_PADDED,
                TIMEOUT,
                EXECUTION_PROVIDERS,
                TASK,
                TOKENIZER,
                POOLING,
                NORMALISED,
                MAX_TOKENS);
    }

    /** Returns the settings of a model of texts; null where the options are of a model of tensors. */
    static @Nullable TextSettings text(ReadableConfig options) {
        String task = options.getOptional(TASK).orElse(null);
        String tokenizer = options.getOptional(TOKENIZER).orElse(null);
        if (task != null && !task.toLowerCase(Locale.ROOT).equals(EMBEDDING)) {
            throw new IllegalArgumentException("there is no task '" + task + "'; there is '" + EMBEDDING + "'");
        }
        return task == null && tokenizer == null
                ? null
                : new TextSettings(tokenizer, options.get(POOLING), options.get(NORMALISED), options.get(MAX_TOKENS));
    }

    /**
     * Returns the settings of a model.
     *
     * @param all all options as texts, for those of sessions
     */
    static ModelSettings settings(ReadableConfig options, Map<String, String> all, boolean isOfTexts) {
        ModelSettings.Builder settings = ModelSettings.builder(options.get(MODEL))
                .digest(options.getOptional(DIGEST).orElse(null))
                .threads(options.get(THREADS))
                .memoryBudget(options.get(MEMORY_BUDGET).getBytes())
                .batchSize(options.get(BATCH_SIZE))
                .batchDelay(options.get(BATCH_DELAY))
                .batchPadded(isOfTexts || options.get(BATCH_PADDED))
                .executionProviders(options.get(EXECUTION_PROVIDERS));
        all.forEach((key, value) -> {
            if (key.startsWith(SESSION_PREFIX)) {
                settings.sessionOption(key.substring(SESSION_PREFIX.length()), value);
            }
        });
        return settings.build();
    }
}
