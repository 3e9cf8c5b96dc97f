package dev.millrace.session;

import dev.millrace.graph.EngineException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How requests of many become one run.
 *
 * @param axis the name of the extent along which they are laid side by side; null for that of the first input's first axis
 * @param maxSize how many requests a run takes at most
 * @param maxDelay how long a request waits for others while one is under way; a lone one never waits
 * @param preferred sizes that the model is good at: the largest that can be filled is taken; empty for as many as wait
 * @param padded whether inputs whose other named extents differ are padded with zeros to the largest, and outputs cut back.
 *     For models that are told by a mask what is there, or do not mind
 */
public record BatchOptions(
        @Nullable String axis, int maxSize, Duration maxDelay, List<Integer> preferred, boolean padded) {
    public BatchOptions {
        preferred = List.copyOf(preferred);
        if (maxSize < 1 || maxDelay.isNegative()) {
            throw EngineException.invalidArgument(
                    "maxSize is " + maxSize + " and maxDelay " + maxDelay + "; they are at least 1 and not negative");
        }
    }

    /** Up to 16 requests, within 2 ms, of any size, not padded. */
    public static BatchOptions defaults() {
        return new BatchOptions(null, 16, Duration.ofMillis(2), List.of(), false);
    }

    public BatchOptions axis(String name) {
        return new BatchOptions(name, maxSize, maxDelay, preferred, padded);
    }

    public BatchOptions maxSize(int value) {
        return new BatchOptions(axis, value, maxDelay, preferred, padded);
    }

    public BatchOptions maxDelay(Duration value) {
        return new BatchOptions(axis, maxSize, value, preferred, padded);
    }

    public BatchOptions preferring(Integer... sizes) {
        return new BatchOptions(axis, maxSize, maxDelay, List.of(sizes), padded);
    }

    public BatchOptions withPadding() {
        return new BatchOptions(axis, maxSize, maxDelay, preferred, true);
    }

    /** How many of those that wait make the next run. */
    int size(int waiting) {
        int most = Math.min(waiting, maxSize);
        return preferred.stream()
                .filter(size -> size <= most)
                .max(Integer::compare)
                .orElse(most);
    }
}
