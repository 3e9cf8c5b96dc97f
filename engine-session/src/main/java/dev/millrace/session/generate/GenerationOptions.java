package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
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
 * @param minP the probability, relative to that of the most likely token, below which tokens are not drawn; 0 for none
 * @param typicalP the probability that the tokens must have together whose surprise is nearest to the expected one to be drawn
 *     from; 1 for all
 * @param mirostat the surprise that drawn tokens are kept near, in place of {@code topK}, {@code topP}, {@code minP} and
 *     {@code typicalP}; null for none
 * @param repetitionPenalty above 1, tokens of the prompt and of the answer become less likely
 * @param frequencyPenalty the number that a token's score loses for each time that it stands in the answer
 * @param presencePenalty the number that a token's score loses if it stands in the answer
 * @param noRepeatNgram the length of phrases that do not occur twice; 0 for no limit
 * @param speculativeTokens the maximum number of tokens that are guessed from earlier phrases and checked in the run of the
 *     next token; 0 for none
 * @param logitBias numbers that are added to the scores of tokens; minus infinity forbids a token
 * @param logprobs the number of the most likely tokens whose log probabilities each token reports, besides its own; null for
 *     no report
 * @param seed the seed of the draws: the same seed draws the same tokens. Null for a random seed
 * @param stopTokens the tokens that end a generation
 * @param constraint the rule that says which tokens may follow; null for none
 * @param timeLimit the time limit from the first step, after which the generation fails with DEADLINE_EXCEEDED; null for none
 * @param priority the priority of its runs among the waiting runs of the session: higher values run first
 * @param cancellation cancels the generation, besides the subscriber of its stream; null for none
 */
public record GenerationOptions(
        int maxTokens,
        double temperature,
        int topK,
        double topP,
        double minP,
        double typicalP,
        @Nullable Mirostat mirostat,
        double repetitionPenalty,
        double frequencyPenalty,
        double presencePenalty,
        int noRepeatNgram,
        int speculativeTokens,
        Map<Long, Double> logitBias,
        @Nullable Integer logprobs,
        @Nullable Long seed,
        Set<Long> stopTokens,
        @Nullable TokenConstraint constraint,
        @Nullable Duration timeLimit,
        int priority,
        @Nullable Cancellation cancellation) {
    private static final int MOST_LOGPROBS = 1000;
    private static final int MOST_GUESSES = 64;
    private static final GenerationOptions DEFAULTS = builder().build();

    public GenerationOptions {
        stopTokens = Set.copyOf(Failures.requireArgument(stopTokens, "stopTokens"));
        check(maxTokens >= 1, "maxTokens is " + maxTokens + "; it is at least 1");
        check(
                temperature >= 0 && temperature < Double.POSITIVE_INFINITY,
                "temperature is " + temperature + "; it is 0 for the likeliest token, or a positive number");
        check(topK >= 0, "topK is " + topK + "; it is at least 1, and left out for all tokens");
        check(topP > 0 && topP <= 1, "topP is " + topP + "; it is a share above 0 and up to 1");
        check(minP >= 0 && minP <= 1, "minP is " + minP + "; it is a share from 0 to 1");
        check(typicalP > 0 && typicalP <= 1, "typicalP is " + typicalP + "; it is a share above 0 and up to 1");
        check(
                mirostat == null || temperature > 0 && topK == 0 && topP == 1 && minP == 0 && typicalP == 1,
                "mirostat draws tokens and chooses from how many itself: it needs a temperature above 0, and goes"
                        + " without topK, topP, minP and typicalP");
        logitBias = Map.copyOf(Failures.requireArgument(logitBias, "logitBias"));
        logitBias.forEach((id, bias) -> check(
                !bias.isNaN() && bias < Double.POSITIVE_INFINITY,
                "the logit bias of token " + id + " is " + bias + "; it is a number, or minus infinity"));
        check(
                Double.isFinite(frequencyPenalty) && Double.isFinite(presencePenalty),
                "frequencyPenalty is " + frequencyPenalty + " and presencePenalty " + presencePenalty
                        + "; they are finite numbers");
        check(noRepeatNgram >= 0, "noRepeatNgram is " + noRepeatNgram + "; it is at least 0");
        check(
                speculativeTokens >= 0 && speculativeTokens <= MOST_GUESSES,
                "speculativeTokens is " + speculativeTokens + "; it is from 0 to " + MOST_GUESSES);
        check(
                logprobs == null || logprobs >= 0 && logprobs <= MOST_LOGPROBS,
                "logprobs is " + logprobs + "; it is from 0 to " + MOST_LOGPROBS);
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
                .minP(minP)
                .typicalP(typicalP)
                .repetitionPenalty(repetitionPenalty)
                .frequencyPenalty(frequencyPenalty)
                .presencePenalty(presencePenalty)
                .noRepeatNgram(noRepeatNgram)
                .speculativeTokens(speculativeTokens)
                .constraint(constraint)
                .timeLimit(timeLimit)
                .priority(priority)
                .cancellation(cancellation);
        builder.topK = topK;
        builder.mirostat = mirostat;
        builder.seed = seed;
        builder.stopTokens = stopTokens;
        builder.logitBias = logitBias;
        builder.logprobs = logprobs;
        return builder;
    }

    /** A builder of options of a generation. Every option has a default. */
    public static final class Builder {
        private int maxTokens = 256;
        private double temperature;
        private int topK;
        private double topP = 1;
        private double minP;
        private double typicalP = 1;
        private @Nullable Mirostat mirostat;
        private double repetitionPenalty = 1;
        private double frequencyPenalty;
        private double presencePenalty;
        private int noRepeatNgram;
        private int speculativeTokens;
        private Map<Long, Double> logitBias = Map.of();
        private @Nullable Integer logprobs;
        private @Nullable Long seed;
        private Set<Long> stopTokens = Set.of();
        private @Nullable TokenConstraint constraint;
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

        public Builder minP(double value) {
            minP = value;
            return this;
        }

        public Builder typicalP(double value) {
            typicalP = value;
            return this;
        }

        /** Sets the surprise that drawn tokens are kept near; null for none. */
        public Builder mirostat(@Nullable Mirostat value) {
            mirostat = value;
            return this;
        }

        public Builder repetitionPenalty(double value) {
            repetitionPenalty = value;
            return this;
        }

        public Builder frequencyPenalty(double value) {
            frequencyPenalty = value;
            return this;
        }

        public Builder presencePenalty(double value) {
            presencePenalty = value;
            return this;
        }

        public Builder speculativeTokens(int value) {
            speculativeTokens = value;
            return this;
        }

        public Builder noRepeatNgram(int value) {
            noRepeatNgram = value;
            return this;
        }

        /** Sets the number that is added to the score of a token. */
        public Builder logitBias(long token, double value) {
            var all = new HashMap<>(logitBias);
            all.put(token, value);
            logitBias = all;
            return this;
        }

        /** Lets each token report its log probability and those of so many of the most likely tokens. */
        public Builder logprobs(int value) {
            logprobs = value;
            return this;
        }

        public Builder seed(long value) {
            seed = value;
            return this;
        }

        /** Adds tokens that end a generation; the one that does is its last token. */
        public Builder stopTokens(long... ids) {
            var all = new HashSet<>(stopTokens);
            for (long id : Failures.requireArgument(ids, "stopTokens")) {
                all.add(id);
            }
            stopTokens = all;
            return this;
        }

        /** Sets the rule that says which tokens may follow. Stop tokens may follow only where it lets the answer end. */
        public Builder constraint(@Nullable TokenConstraint value) {
            constraint = value;
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
                    minP,
                    typicalP,
                    mirostat,
                    repetitionPenalty,
                    frequencyPenalty,
                    presencePenalty,
                    noRepeatNgram,
                    speculativeTokens,
                    logitBias,
                    logprobs,
                    seed,
                    stopTokens,
                    constraint,
                    timeLimit,
                    priority,
                    cancellation);
        }
    }
}
