package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of a generation: how tokens are chosen, and when it ends. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param maxTokens the maximum number of generated tokens
 * @param temperature 0 selects the most likely token. Above 0, tokens are drawn at random; a lower value draws likely tokens
 *     more often
 * @param topK the number of the most likely tokens that are drawn from; 0 for all
 * @param topP the probability that the most likely tokens must have together to be drawn from; 1 for all
 * @param repetitionPenalty above 1, tokens of the prompt and of the answer become less likely
 * @param seed the seed of the draws: the same seed draws the same tokens. Null for a random seed
 * @param stopTokens the tokens that end a generation
 * @param timeLimit the time limit from the first step, after which the generation fails with DEADLINE_EXCEEDED; null for none
 * @param priority the priority of its runs among the waiting runs of the session: higher values run first
 * @param cancellation cancels the generation, besides the subscriber of its stream; null for none
 */
public record GenerationOptions(
        int maxTokens,
        double temperature,
        int topK,
        double topP,
        double repetitionPenalty,
        @Nullable Long seed,
        Set<Long> stopTokens,
        @Nullable Duration timeLimit,
        int priority,
        @Nullable Cancellation cancellation) {
    private static final GenerationOptions DEFAULTS = builder().build();

    public GenerationOptions {
        stopTokens = Set.copyOf(Generator.given(stopTokens, "stopTokens"));
        check(maxTokens >= 1, "maxTokens is " + maxTokens + "; it is at least 1");
        check(
                temperature >= 0 && temperature < Double.POSITIVE_INFINITY,
                "temperature is " + temperature + "; it is 0 for the likeliest token, or a positive number");
        check(topK >= 0, "topK is " + topK + "; it is at least 1, and left out for all tokens");
        check(topP > 0 && topP <= 1, "topP is " + topP + "; it is a share above 0 and up to 1");
        check(
                repetitionPenalty > 0 && repetitionPenalty < Double.POSITIVE_INFINITY,
                "repetitionPenalty is " + repetitionPenalty + "; it is a positive number, 1 for none");
        check(timeLimit == null || timeLimit.isPositive(), "timeLimit is " + timeLimit + "; it is a positive duration");
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw EngineException.invalidArgument(otherwise);
        }
    }

    /** Returns options that select the most likely token each time, up to 256 tokens. */
    public static GenerationOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        Builder builder = builder()
                .maxTokens(maxTokens)
                .temperature(temperature)
                .topP(topP)
                .repetitionPenalty(repetitionPenalty)
                .timeLimit(timeLimit)
                .priority(priority)
                .cancellation(cancellation);
        builder.topK = topK;
        builder.seed = seed;
        builder.stopTokens = stopTokens;
        return builder;
    }

    /** A builder of options of a generation. Every option has a default. */
    public static final class Builder {
        private int maxTokens = 256;
        private double temperature;
        private int topK;
        private double topP = 1;
        private double repetitionPenalty = 1;
        private @Nullable Long seed;
        private Set<Long> stopTokens = Set.of();
        private @Nullable Duration timeLimit;
        private int priority;
        private @Nullable Cancellation cancellation;

        private Builder() {}

        public Builder maxTokens(int value) {
            maxTokens = value;
            return this;
        }

        public Builder temperature(double value) {
            temperature = value;
            return this;
        }

        public Builder topK(int value) {
            check(value >= 1, "topK is " + value + "; it is at least 1, and left out for all tokens");
            topK = value;
            return this;
        }

        public Builder topP(double value) {
            topP = value;
            return this;
        }

        public Builder repetitionPenalty(double value) {
            repetitionPenalty = value;
            return this;
        }

        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** Adds tokens that end a generation; the one that does is its last token. */
        public Builder stopTokens(long... ids) {
            var all = new HashSet<>(stopTokens);
            for (long id : Generator.given(ids, "stopTokens")) {
                all.add(id);
            }
            stopTokens = all;
            return this;
        }

        public Builder timeLimit(@Nullable Duration value) {
            timeLimit = value;
            return this;
        }

        public Builder priority(int value) {
            priority = value;
            return this;
        }

        public Builder cancellation(@Nullable Cancellation value) {
            cancellation = value;
            return this;
        }

        public GenerationOptions build() {
            return new GenerationOptions(
                    maxTokens,
                    temperature,
                    topK,
                    topP,
                    repetitionPenalty,
                    seed,
                    stopTokens,
                    timeLimit,
                    priority,
                    cancellation);
        }
    }
}
