package dev.millrace.spring.boot;

import dev.millrace.session.BatchOptions;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of batching. A session is batched if any of them is set.
 *
 * @param enabled Whether requests of several callers are joined into one run.
 * @param maxSize Most requests in one run.
 * @param maxDelay Time that a request waits for others while a run is active; an isolated request never waits.
 * @param axis Name of the extent along which requests are joined; the first axis of the first input by default.
 * @param preferred Sizes that suit the model; the largest that can be filled is taken.
 * @param padded Whether inputs are padded with zeros where named extents differ, and outputs are cut back.
 */
public record BatchProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("16") int maxSize,
        @DefaultValue("2ms") Duration maxDelay,
        @Nullable String axis,
        @DefaultValue List<Integer> preferred,
        @DefaultValue("false") boolean padded) {
    BatchOptions options() {
        return BatchOptions.builder()
                .maxSize(maxSize)
                .maxDelay(maxDelay)
                .axis(axis)
                .preferred(preferred.toArray(Integer[]::new))
                .padded(padded)
                .build();
    }
}
