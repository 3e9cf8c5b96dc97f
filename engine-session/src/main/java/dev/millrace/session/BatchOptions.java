package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How requests of many become one run.
 *
 * @param axis the name of the extent along which they are laid side by side; null for that of the first input's first axis,
 *     unless {@code along} says another
 * @param along for inputs and outputs by their names the number of that axis, where extents have no names, or too many
 * @param maxSize how many requests a run takes at most
 * @param maxDelay how long a request waits for others while one is under way; a lone one never waits
 * @param preferred sizes that the model is good at: the largest that can be filled is taken; empty for all up to 8, for 12, 16,
 *     24, 32 and so on, and for the largest: a session prepares for each size that it meets, and for few that are much alike
 * @param padded whether inputs whose other named extents differ are padded with zeros to the largest, and outputs cut back.
 *     For models that are told by a mask what is there, or do not mind
 */
public record BatchOptions(
        @Nullable String axis,
        Map<String, Integer> along,
        int maxSize,
        Duration maxDelay,
        List<Integer> preferred,
        boolean padded) {
    private static final int ALL_UP_TO = 8;

    public BatchOptions {
        along = Failures.all(along, "along");
        preferred = Failures.all(preferred, "preferred");
        Failures.given(maxDelay, "maxDelay");
        if (maxSize < 1 || maxDelay.isNegative()) {
            throw EngineException.invalidArgument(
                    "maxSize is " + maxSize + " and maxDelay " + maxDelay + "; they are at least 1 and not negative");
        }
    }

    /** Up to 16 requests, within 2 ms, of no size in particular, not padded. */
    public static BatchOptions defaults() {
        return new BatchOptions(null, Map.of(), 16, Duration.ofMillis(2), List.of(), false);
    }

    public BatchOptions axis(String name) {
        return new BatchOptions(name, along, maxSize, maxDelay, preferred, padded);
    }

    /**
     * The axis of an input or an output along which requests lie. Inputs of which nothing is said are the same in all
     * requests of a run.
     *
     * @param index of the axis; -1 is the last one
     */
    public BatchOptions along(String value, int index) {
        var more = new HashMap<>(along);
        more.put(value, index);
        return new BatchOptions(axis, more, maxSize, maxDelay, preferred, padded);
    }

    public BatchOptions maxSize(int value) {
        return new BatchOptions(axis, along, value, maxDelay, preferred, padded);
    }

    public BatchOptions maxDelay(Duration value) {
        return new BatchOptions(axis, along, maxSize, value, preferred, padded);
    }

    public BatchOptions preferring(Integer... sizes) {
        return new BatchOptions(axis, along, maxSize, maxDelay, Failures.each(sizes, "preferred"), padded);
    }

    public BatchOptions withPadding() {
        return new BatchOptions(axis, along, maxSize, maxDelay, preferred, true);
    }

    /** Returns the number of waiting requests that make the next run. */
    public int size(int waiting) {
        int most = Math.min(waiting, maxSize);
        if (preferred.isEmpty()) {
            return most == maxSize ? most : usual(most);
        }
        int best = 0;
        for (int size : preferred) {
            best = size <= most ? Math.max(best, size) : best;
        }
        return best == 0 ? most : best;
    }

    /** The largest size that is no larger, of few: those that wait for the next run are less than half as many. */
    private static int usual(int size) {
        int step = size <= ALL_UP_TO ? 1 : Integer.highestOneBit(size) / 2;
        return size - size % step;
    }
}
