package dev.millrace.text.speech;

/**
 * Triangular filters on the mel scale of Slaney's Auditory Toolbox (linear below 1 kHz, logarithmic above), from 0 to 8 kHz, each
 * with the same area.
 */
final class MelFilters {
    private static final double HIGHEST = 8000;
    private static final double RATE = 16000;
    private static final double LINEAR_UP_TO = 1000;
    private static final double HERTZ_PER_MEL = 200.0 / 3;
    private static final double LOG_STEP = Math.log(6.4) / 27;

    private final double[][] weights;
    private final int[] first;

    /** @param bins the number of filters */
    MelFilters(int bins) {
        weights = new double[bins][];
        first = new int[bins];
        double[] edges = new double[bins + 2];
        for (int i = 0; i < edges.length; i++) {
            edges[i] = hertz(mel(HIGHEST) * i / (bins + 1));
        }
        for (int bin = 0; bin < bins; bin++) {
            fill(bin, edges[bin], edges[bin + 1], edges[bin + 2]);
        }
    }

    private void fill(int bin, double low, double peak, double high) {
        double width = RATE / FourierTransform.SIZE;
        int from = (int) Math.ceil(low / width);
        int to = (int) Math.floor(high / width);
        first[bin] = from;
        weights[bin] = new double[Math.max(0, to - from + 1)];
        for (int i = 0; i < weights[bin].length; i++) {
            double frequency = (from + i) * width;
            double height = Math.min((frequency - low) / (peak - low), (high - frequency) / (high - peak));
            weights[bin][i] = Math.max(0, height) * 2 / (high - low);
        }
    }

    private static double mel(double hertz) {
        return hertz < LINEAR_UP_TO
                ? hertz / HERTZ_PER_MEL
                : LINEAR_UP_TO / HERTZ_PER_MEL + Math.log(hertz / LINEAR_UP_TO) / LOG_STEP;
    }

    private static double hertz(double mel) {
        double turn = LINEAR_UP_TO / HERTZ_PER_MEL;
        return mel < turn ? mel * HERTZ_PER_MEL : LINEAR_UP_TO * Math.exp((mel - turn) * LOG_STEP);
    }

    int bins() {
        return weights.length;
    }

    /** Returns the energy of a power spectrum in a filter. */
    double energy(double[] power, int bin) {
        double sum = 0;
        for (int i = 0; i < weights[bin].length; i++) {
            sum += weights[bin][i] * power[first[bin] + i];
        }
        return sum;
    }
}
