package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import org.jspecify.annotations.Nullable;

/**
 * The options of a generator. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param prefixBytes the bytes of caches that ended generations may leave for later prompts that begin with the same
 *     tokens; 0 for none
 * @param maxBatch the maximum number of texts whose next tokens are computed in one run; 1 computes each in a run of its own
 * @param draft the generator of a smaller model with the same tokens, which guesses the next tokens of texts whose options
 *     have {@link GenerationOptions#speculativeTokens()}; it stays the caller's to close. Null for guesses from earlier phrases
 */
public record GeneratorOptions(
        long prefixBytes, int maxBatch, @Nullable Generator draft) {
    /** The largest number of texts in a run. */
    private static final int MOST_TEXTS = 1024;

    private static final GeneratorOptions DEFAULTS = builder().build();

    public GeneratorOptions {
        if (prefixBytes < 0) {
            throw EngineException.invalidArgument("prefixBytes is " + prefixBytes + "; it is at least 0");
        }
        if (maxBatch < 1 || maxBatch > MOST_TEXTS) {
            throw EngineException.invalidArgument("maxBatch is " + maxBatch + "; it is from 1 to " + MOST_TEXTS);
        }
    }

    /** Returns options that keep no caches and compute up to 16 texts in a run. */
    public static GeneratorOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return builder().prefixBytes(prefixBytes).maxBatch(maxBatch).draft(draft);
    }

    /** A builder of options of a generator. Every option has a default. */
    public static final class Builder {
        private long prefixBytes;
        private int maxBatch = 16;
        private @Nullable Generator draft;

        private Builder() {}

        public Builder prefixBytes(long bytes) {
            prefixBytes = bytes;
            return this;
        }

        public Builder maxBatch(int texts) {
            maxBatch = texts;
            return this;
        }

        public Builder draft(@Nullable Generator value) {
            draft = value;
            return this;
        }

        public GeneratorOptions build() {
            return new GeneratorOptions(prefixBytes, maxBatch, draft);
        }
    }
}
