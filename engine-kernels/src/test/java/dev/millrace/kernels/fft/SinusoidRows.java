package dev.millrace.kernels.fft;

/** Weights as exporters write transforms. */
final class SinusoidRows {
    private SinusoidRows() {}

    /** Rows of cosines, and rows of sines, under a window. */
    static float[][] of(float[] window, int sign) {
        int points = window.length;
        int frequencies = points / 2 + 1;
        float[][] rows = new float[2][frequencies * points];
        for (int i = 0; i < frequencies; i++) {
            for (int k = 0; k < points; k++) {
                double angle = 2 * Math.PI * (i * k % points) / points;
                rows[0][i * points + k] = (float) (window[k] * Math.cos(angle));
                rows[1][i * points + k] = (float) (sign * window[k] * Math.sin(angle));
            }
        }
        return rows;
    }
}
