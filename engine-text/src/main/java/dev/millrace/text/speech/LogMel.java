package dev.millrace.text.speech;

/**
 * The log-mel spectrogram of Whisper: the power of frames of 400 samples, every 160 samples, with a Hann window, in mel filters;
 * the logarithm to base 10, at least 8 below its maximum, plus 4, divided by 4. Samples have a rate of 16 kHz.
 */
public final class LogMel {
    /** The samples of a second. */
    public static final int RATE = 16000;
    /** The samples between frames. */
    public static final int HOP = 160;
    /** The frames that a model hears at a time, 30 seconds. */
    public static final int WINDOW = 3000;

    private static final int SIZE = FourierTransform.SIZE;
    private static final double FLOOR = 1e-10;
    private static final float RANGE = 8;
    private static final double[] HANN = new double[SIZE];

    static {
        for (int i = 0; i < SIZE; i++) {
            HANN[i] = 0.5 - 0.5 * Math.cos(2 * Math.PI * i / SIZE);
        }
    }

    private final int bins;
    private final int frames;
    /** The values, frame by frame. */
    private final float[] values;

    private LogMel(int bins, int frames, float[] values) {
        this.bins = bins;
        this.frames = frames;
        this.values = values;
    }

    /**
     * Returns the spectrogram of samples with silence of 30 seconds behind them.
     *
     * @param bins the number of mel filters: 80, or 128 for the third large model
     */
    public static LogMel of(float[] samples, int bins) {
        int frames = samples.length / HOP + WINDOW;
        var filters = new MelFilters(bins);
        float[] values = new float[Math.multiplyExact(frames, bins)];
        var transform = new FourierTransform();
        // the spectra of two frames at a time: one is the real part, the other the imaginary part
        for (int frame = 0; frame < frames; frame += 2) {
            fill(transform.re(), samples, frame);
            fill(transform.im(), samples, frame + 1);
            transform.run();
            write(transform, filters, values, frame, frames);
        }
        float most = Float.NEGATIVE_INFINITY;
        for (float value : values) {
            most = Math.max(most, value);
        }
        for (int i = 0; i < values.length; i++) {
            values[i] = (Math.max(values[i], most - RANGE) + 4) / 4;
        }
        return new LogMel(bins, frames, values);
    }

    /** Writes the samples around the middle of a frame. Before the first one, they are mirrored. */
    private static void fill(double[] to, float[] samples, int frame) {
        int start = frame * HOP - SIZE / 2;
        for (int i = 0; i < SIZE; i++) {
            int at = Math.abs(start + i);
            to[i] = at < samples.length ? samples[at] * HANN[i] : 0;
        }
    }

    private static void write(FourierTransform both, MelFilters filters, float[] values, int frame, int frames) {
        int half = SIZE / 2;
        double[] first = new double[half + 1];
        double[] second = new double[half + 1];
        double[] re = both.re();
        double[] im = both.im();
        for (int i = 0; i <= half; i++) {
            int mirror = (SIZE - i) % SIZE;
            first[i] = square((re[i] + re[mirror]) / 2) + square((im[i] - im[mirror]) / 2);
            second[i] = square((im[i] + im[mirror]) / 2) + square((re[i] - re[mirror]) / 2);
        }
        for (int bin = 0; bin < filters.bins(); bin++) {
            values[frame * filters.bins() + bin] = log(filters.energy(first, bin));
            if (frame + 1 < frames) {
                values[(frame + 1) * filters.bins() + bin] = log(filters.energy(second, bin));
            }
        }
    }

    private static double square(double value) {
        return value * value;
    }

    private static float log(double energy) {
        return (float) Math.log10(Math.max(energy, FLOOR));
    }

    /** The number of frames that have samples. */
    public int content() {
        return frames - WINDOW;
    }

    /**
     * Returns the values of 30 seconds, filter by filter.
     *
     * @param from the first frame
     * @param count the number of frames; zeros follow behind them
     */
    public float[] window(int from, int count) {
        float[] window = new float[bins * WINDOW];
        for (int bin = 0; bin < bins; bin++) {
            for (int frame = 0; frame < Math.min(count, frames - from); frame++) {
                window[bin * WINDOW + frame] = values[(from + frame) * bins + bin];
            }
        }
        return window;
    }
}
