package dev.millrace.bench.serve;

import java.util.concurrent.atomic.AtomicLongArray;

/** Durations, counted in buckets that are at most a thirty-second apart. */
public final class Latencies {
    private static final int BITS = 5;
    private static final int STEPS = 1 << BITS;
    private static final int OCTAVES = Long.SIZE - BITS;

    private final AtomicLongArray counts = new AtomicLongArray((OCTAVES + 1) * STEPS);

    public void add(long nanos) {
        counts.incrementAndGet(bucket(Math.max(0, nanos)));
    }

    /** The number's octave, and the five bits below its highest one. */
    private static int bucket(long nanos) {
        if (nanos < STEPS) {
            return (int) nanos;
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - BITS;
        return (shift + 1) * STEPS + (int) (nanos >>> shift) - STEPS;
    }

    private static long least(int bucket) {
        if (bucket < STEPS) {
            return bucket;
        }
        int shift = bucket / STEPS - 1;
        return (long) (bucket % STEPS + STEPS) << shift;
    }

    /** The duration that so many of a hundred are no longer than, about; 0 where there are none. */
    public long percentile(double percent) {
        long all = 0;
        for (int i = 0; i < counts.length(); i++) {
            all += counts.get(i);
        }
        long rank = (long) Math.ceil(all * percent / 100);
        for (int i = 0; i < counts.length(); i++) {
            rank -= counts.get(i);
            if (rank <= 0 && all > 0) {
                return least(i);
            }
        }
        return 0;
    }
}
