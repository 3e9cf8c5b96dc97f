package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How tokens are chosen, and when there are enough.
 *
 * @param maxTokens how many are generated at most
 * @param temperature 0 for the likeliest token each time; else tokens are drawn by chance, likely ones rather the lower it is
 * @param topK only so many of the likeliest tokens are drawn from; 0 for all
 * @param topP only so few of the likeliest tokens are drawn from that they have this share of the chances; 1 for all
 * @param repetitionPenalty above 1, tokens become less likely that are in the prompt or were said already
 * @param seed what the draws begin with: the same one gives the same tokens. Null for another one each time
 * @param stopTokens the tokens that end a generation
 * @param timeLimit how long it may take, from its first step on, before it fails with DEADLINE_EXCEEDED; null for as long as it takes
 * @param priority of its runs among those of their session that wait: higher ones first
 * @param cancellation stops it, beside what the subscriber of a stream says; null for none
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
    private static final int SOME = 256;

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

    /** The likeliest token each time, 256 at most. */
    public static GenerationOptions defaults() {
        return new GenerationOptions(SOME, 0, 0, 1, 1, null, Set.of(), null, 0, null);
    }

    public GenerationOptions maxTokens(int value) {
        return changed(draft -> draft.maxTokens = value);
    }

    public GenerationOptions temperature(double value) {
        return changed(draft -> draft.temperature = value);
    }

    public GenerationOptions topK(int value) {
        check(value >= 1, "topK is " + value + "; it is at least 1, and left out for all tokens");
        return changed(draft -> draft.topK = value);
    }

    public GenerationOptions topP(double value) {
        return changed(draft -> draft.topP = value);
    }

    public GenerationOptions repetitionPenalty(double value) {
        return changed(draft -> draft.repetitionPenalty = value);
    }

    public GenerationOptions seed(long value) {
        return changed(draft -> draft.seed = value);
    }

    /** More tokens that end a generation; the one that does is its last token. */
    public GenerationOptions stopTokens(long... ids) {
        var all = new HashSet<>(stopTokens);
        all.addAll(Arrays.stream(Generator.given(ids, "stopTokens")).boxed().collect(Collectors.toSet()));
        return changed(draft -> draft.stopTokens = all);
    }

    public GenerationOptions within(Duration limit) {
        return changed(draft -> draft.timeLimit = limit);
    }

    public GenerationOptions priority(int value) {
        return changed(draft -> draft.priority = value);
    }

    public GenerationOptions cancelledBy(Cancellation switchedBy) {
        return changed(draft -> draft.cancellation = switchedBy);
    }

    private GenerationOptions changed(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    /** The options while one of them is changed. */
    private static final class Draft {
        private int maxTokens;
        private double temperature;
        private int topK;
        private double topP;
        private double repetitionPenalty;
        private @Nullable Long seed;
        private Set<Long> stopTokens;
        private @Nullable Duration timeLimit;
        private int priority;
        private @Nullable Cancellation cancellation;

        Draft(GenerationOptions from) {
            maxTokens = from.maxTokens;
            temperature = from.temperature;
            topK = from.topK;
            topP = from.topP;
            repetitionPenalty = from.repetitionPenalty;
            seed = from.seed;
            stopTokens = from.stopTokens;
            timeLimit = from.timeLimit;
            priority = from.priority;
            cancellation = from.cancellation;
        }

        GenerationOptions options() {
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
