package dev.millrace.session.stream;

/**
 * A measurement of whether batches of a size pay: the time per request in them, compared with the time
 * of one alone. Guarded by its user.
 */
public final class BatchWorth {
    private static final int SIZES = 32;
    private static final int SAMPLES = 3;
    /** The number of decisions against batches after which they are measured again. */
    private static final int DOUBT = 64;
    /** The highest ratio of batched to lone time per request at which a batch pays for its copies. */
    private static final double GAIN = 0.95;
    /** The largest relative change of an estimate by one measurement: a run that waited for a processor says little. */
    private static final double STEP = 1.0 / 16;

    private final double[] nanosOfOne = new double[SIZES];
    private final int[] samples = new int[SIZES];
    private int refused;

    /** Returns the bucket of a batch size; one bucket per power of two. */
    private static int bucket(int size) {
        return Math.min(SIZES - 1, Integer.SIZE - Integer.numberOfLeadingZeros(size));
    }

    /** Records the time of one run of {@code size} requests. */
    public void took(int size, long nanos) {
        int bucket = bucket(size);
        double one = (double) nanos / size;
        double before = nanosOfOne[bucket];
        if (samples[bucket] >= SAMPLES) {
            nanosOfOne[bucket] = Math.clamp(one, before * (1 - STEP), before * (1 + STEP));
        } else {
            // the first runs of a shape prepare it
            nanosOfOne[bucket] = samples[bucket] == 0 ? one : Math.min(before, one);
        }
        samples[bucket]++;
    }

    /** Whether {@code size} requests should be one run. */
    public boolean pays(int size) {
        int alone = bucket(1);
        int together = bucket(size);
        if (samples[alone] < SAMPLES) {
            return false;
        }
        if (samples[together] < SAMPLES || nanosOfOne[together] < nanosOfOne[alone] * GAIN) {
            refused = 0;
            return true;
        }
        refused++;
        if (refused >= DOUBT) {
            refused = 0;
            samples[together] = 0;
        }
        return false;
    }
}
