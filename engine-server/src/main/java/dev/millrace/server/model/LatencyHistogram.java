package dev.millrace.server.model;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** A histogram of times with fixed bounds: 1, 2 and 5 in each decade from 50 µs to 50 s. */
public final class LatencyHistogram {
    private static final long[] BOUNDS_MICROS = {
        50,
        100,
        200,
        500,
        1_000,
        2_000,
        5_000,
        10_000,
        20_000,
        50_000,
        100_000,
        200_000,
        500_000,
        1_000_000,
        2_000_000,
        5_000_000,
        10_000_000,
        20_000_000,
        50_000_000
    };

    private final LongAdder[] counts = new LongAdder[BOUNDS_MICROS.length + 1];

    LatencyHistogram() {
        for (int i = 0; i < counts.length; i++) {
            counts[i] = new LongAdder();
        }
    }

    /**
     * The times up to a bound that exceed the bound before it.
     *
     * @param micros the bound; {@link Long#MAX_VALUE} for the last bucket
     */
    public record Bucket(long micros, long count) {}

    void add(long nanos) {
        int bucket = 0;
        while (bucket < BOUNDS_MICROS.length && nanos > BOUNDS_MICROS[bucket] * 1000) {
            bucket++;
        }
        counts[bucket].increment();
    }

    /** Returns the buckets in the order of their bounds, empty ones included. */
    public List<Bucket> buckets() {
        var buckets = new ArrayList<Bucket>();
        for (int i = 0; i < counts.length; i++) {
            buckets.add(new Bucket(i < BOUNDS_MICROS.length ? BOUNDS_MICROS[i] : Long.MAX_VALUE, counts[i].sum()));
        }
        return buckets;
    }
}
