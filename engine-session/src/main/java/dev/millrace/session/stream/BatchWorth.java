package dev.millrace.session.stream;

/**
 * Whether batches of a size pay: what a request takes in them, measured, beside what one takes alone. Guarded by its user.
 */
public final class BatchWorth {
    private static final int SIZES = 32;
    private static final int SAMPLES = 3;
    /** After so many decisions against them batches are measured again. */
    private static final int DOUBT = 64;
    /** What is gained has to be worth the copies. */
    private static final double GAIN = 0.95;
    /** How far one measurement moves what is thought: a run that waited for a processor says little. */
    private static final double STEP = 1.0 / 16;

    private final double[] nanosOfOne = new double[SIZES];
    private final int[] samples = new int[SIZES];
    private int refused;

    /** The number of requests, as sizes are told apart. */
    private static int bucket(int size) {
        return Math.min(SIZES - 1, Integer.SIZE - Integer.numberOfLeadingZeros(size));
    }

    /** Takes note that so many requests took so long in one run. */
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

    /** Whether so many requests should be one run. */
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
