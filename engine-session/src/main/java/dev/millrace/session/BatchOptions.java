package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.util.Failures;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a batched session, which joins requests of several callers into one run. An immutable snapshot;
 * {@link #builder()} makes one.
 *
 * @param axis the name of the extent along which requests are concatenated; null for that of the first input's first axis,
 *     unless {@code along} has another
 * @param along the index of that axis by the names of inputs and outputs, for models whose extents have no names or whose
 *     names are ambiguous
 * @param maxSize the maximum number of requests in one run
 * @param maxDelay the time that a request waits for others while a run is active; an isolated request never waits
 * @param preferred sizes that suit the model: the largest that can be filled is taken. Empty for 1 to 8, 12, 16, 24, 32 and
 *     so on, and {@code maxSize}: a session prepares for each size that occurs, so these are few
 * @param padded whether inputs are padded with zeros where other named extents differ, and outputs are cut back. Suits
 *     models that have a mask, and models whose results do not depend on the padding
 */
public record BatchOptions(
        @Nullable String axis,
        Map<String, Integer> along,
        int maxSize,
        Duration maxDelay,
        List<Integer> preferred,
        boolean padded) {
    private static final int ALL_UP_TO = 8;
    private static final BatchOptions DEFAULTS = builder().build();

    public BatchOptions {
        along = Failures.all(along, "along");
        preferred = Failures.all(preferred, "preferred");
        Failures.requireArgument(maxDelay, "maxDelay");
        if (maxSize < 1 || maxDelay.isNegative()) {
            throw EngineException.invalidArgument(
                    "maxSize is " + maxSize + " and maxDelay " + maxDelay + "; they are at least 1 and not negative");
        }
    }

    /** Returns options for up to 16 requests of any size, a delay of at most 2 ms, and no padding. */
    public static BatchOptions defaults() {
        return DEFAULTS;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        Builder builder =
                builder().axis(axis).maxSize(maxSize).maxDelay(maxDelay).padded(padded);
        builder.along = along;
        builder.preferred = preferred;
        return builder;
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

    /** Returns the largest usual size up to this one. Fewer than half as many requests are left for the next run. */
    private static int usual(int size) {
        int step = size <= ALL_UP_TO ? 1 : Integer.highestOneBit(size) / 2;
        return size - size % step;
    }

    /** A builder of options of a batched session. Every option has a default. */
    public static final class Builder {
        private @Nullable String axis;
        private Map<String, Integer> along = Map.of();
        private int maxSize = 16;
        private Duration maxDelay = Duration.ofMillis(2);
        private List<Integer> preferred = List.of();
        private boolean padded;

        private Builder() {}

        public Builder axis(@Nullable String name) {
            axis = name;
            return this;
        }

        /**
         * Adds the axis of an input or an output along which requests are concatenated. Inputs without such an axis are the
         * same in all requests of a run.
         *
         * @param index the index of the axis; -1 is the last one
         */
        public Builder along(String value, int index) {
            var more = new HashMap<>(along);
            more.put(value, index);
            along = more;
            return this;
        }

        public Builder maxSize(int value) {
            maxSize = value;
            return this;
        }

        public Builder maxDelay(Duration value) {
            maxDelay = value;
            return this;
        }

        public Builder preferred(Integer... sizes) {
            preferred = Failures.each(sizes, "preferred");
            return this;
        }

        public Builder padded(boolean value) {
            padded = value;
            return this;
        }

        public BatchOptions build() {
            return new BatchOptions(axis, along, maxSize, maxDelay, preferred, padded);
        }
    }
}
