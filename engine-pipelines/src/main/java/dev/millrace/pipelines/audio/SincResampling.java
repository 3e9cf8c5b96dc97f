package dev.millrace.pipelines.audio;

/** Resampling by a windowed sinc function (Smith 1984, digital audio resampling). */
final class SincResampling {
    /** The zero crossings of the sinc function on each side of a sample. */
    private static final int CROSSINGS = 16;
    /** The cutoff frequency, as a share of the lower one of the two Nyquist frequencies. */
    private static final double CUTOFF = 0.95;

    private SincResampling() {}

    static float[] resample(float[] samples, int rate, int toRate) {
        double step = (double) rate / toRate;
        double cutoff = CUTOFF * Math.min(1, 1 / step);
        double reach = CROSSINGS / cutoff;
        float[] made = new float[Math.toIntExact(Math.ceilDiv((long) samples.length * toRate, (long) rate))];
        for (int i = 0; i < made.length; i++) {
            double at = i * step;
            int from = Math.max(0, (int) Math.ceil(at - reach));
            int to = Math.min(samples.length - 1, (int) Math.floor(at + reach));
            double sum = 0;
            for (int j = from; j <= to; j++) {
                sum += samples[j] * weight(at - j, cutoff, reach);
            }
            made[i] = (float) sum;
        }
        return made;
    }

    /** The sinc function under a Hann window. */
    private static double weight(double distance, double cutoff, double reach) {
        double x = Math.PI * cutoff * distance;
        double sinc = x == 0 ? 1 : Math.sin(x) / x;
        return cutoff * sinc * (0.5 + 0.5 * Math.cos(Math.PI * distance / reach));
    }
}
