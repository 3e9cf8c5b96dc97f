package dev.millrace.providers.testkit.device;

import java.util.Arrays;

/** The number of the last operation of each stream that is known to be over. */
final class VectorClock {
    private long[] times;
    private long beyond;

    VectorClock() {
        this(new long[4]);
    }

    private VectorClock(long[] times) {
        this.times = times;
    }

    /** Returns the clock to which everything is over. */
    static VectorClock ofEnd() {
        var clock = new VectorClock(new long[0]);
        clock.beyond = Long.MAX_VALUE;
        return clock;
    }

    long get(int stream) {
        return stream < times.length ? times[stream] : beyond;
    }

    void set(int stream, long time) {
        grow(stream + 1);
        times[stream] = time;
    }

    /** Adds what another clock knows. */
    void join(VectorClock other) {
        grow(other.times.length);
        for (int i = 0; i < other.times.length; i++) {
            times[i] = Math.max(times[i], other.times[i]);
        }
    }

    VectorClock copy() {
        return new VectorClock(times.clone());
    }

    private void grow(int length) {
        if (length > times.length) {
            times = Arrays.copyOf(times, length);
        }
    }
}
