package dev.millrace.flink;

import dev.millrace.graph.EngineException;
import java.io.Serializable;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model of a job and how task managers open it. Tasks with equal settings and equal files share one session. Immutable.
 *
 * @param model the path of the model's file, its {@code file:} URI, or {@code cache:NAME} for a file of the job's distributed cache
 * @param digest the SHA-256 that the file must have, in hexadecimal digits; null for any
 * @param threads the threads of the task manager's engine; 0 for the engine's default
 * @param memoryBudget the bytes of memory that the engine may keep; 0 for the engine's default
 * @param batchSize the largest number of rows that one run joins; 1 for no batches
 * @param batchDelay the longest time for which a row waits for others while a run is active
 * @param batchPadded whether rows of different extents share runs, padded with zeros
 * @param executionProviders the execution providers by name, in their order; empty for all
 * @param sessionOptions options of the session by name
 */
public record ModelSettings(
        String model,
        @Nullable String digest,
        int threads,
        long memoryBudget,
        int batchSize,
        Duration batchDelay,
        boolean batchPadded,
        List<String> executionProviders,
        Map<String, String> sessionOptions)
        implements Serializable {
    private static final int SHA_256_DIGITS = 64;

    public ModelSettings {
        executionProviders = List.copyOf(executionProviders);
        sessionOptions = Map.copyOf(sessionOptions);
        if (threads < 0 || memoryBudget < 0 || batchSize < 1 || batchDelay.isNegative()) {
            throw EngineException.invalidArgument("threads " + threads + ", memory budget " + memoryBudget
                    + ", batch size " + batchSize + " and batch delay " + batchDelay
                    + " are not negative, and a batch has at least one row");
        }
        if (digest != null && !(digest.length() == SHA_256_DIGITS && digest.matches("[0-9a-fA-F]*"))) {
            throw EngineException.invalidArgument(
                    "the digest '" + digest + "' is no SHA-256, which has 64 hexadecimal digits");
        }
    }

    /** Returns the settings of a model with every option at its default. */
    public static ModelSettings of(String model) {
        return builder(model).build();
    }

    public static Builder builder(String model) {
        return new Builder(model);
    }

    /** A builder of settings. Every option has a default. */
    public static final class Builder {
        private final String model;
        private @Nullable String digest;
        private int threads;
        private long memoryBudget;
        private int batchSize = 32;
        private Duration batchDelay = Duration.ofMillis(2);
        private boolean batchPadded;
        private List<String> executionProviders = List.of();
        private final Map<String, String> sessionOptions = new HashMap<>();

        private Builder(String model) {
            this.model = model;
        }

        public Builder digest(@Nullable String sha256) {
            digest = sha256;
            return this;
        }

        public Builder threads(int value) {
            threads = value;
            return this;
        }

        public Builder memoryBudget(long bytes) {
            memoryBudget = bytes;
            return this;
        }

        public Builder batchSize(int value) {
            batchSize = value;
            return this;
        }

        public Builder batchDelay(Duration value) {
            batchDelay = value;
            return this;
        }

        public Builder batchPadded(boolean value) {
            batchPadded = value;
            return this;
        }

        public Builder executionProviders(List<String> names) {
            executionProviders = names;
            return this;
        }

        /** Sets an option of the session by its name, as the command's {@code --option} does. */
        public Builder sessionOption(String name, String value) {
            sessionOptions.put(name, value);
            return this;
        }

        public ModelSettings build() {
            return new ModelSettings(
                    model,
                    digest,
                    threads,
                    memoryBudget,
                    batchSize,
                    batchDelay,
                    batchPadded,
                    executionProviders,
                    sessionOptions);
        }
    }
}
