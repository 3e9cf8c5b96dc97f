package dev.millrace.kernels.conv;

import java.util.Arrays;

/** Transforms squares of taps, those of many channels at once: a plane of them is an array. */
final class WinogradTaps {
    private final LinearMap map;
    private final int size;
    private final int channels;
    /** The square of taps, row by row. */
    private final double[][] taps;
    /** After the columns were transformed: as many rows as inputs, of three. */
    private final double[][] rows;

    private final double[][] products;

    WinogradTaps(WinogradKind kind, int channels) {
        map = kind.ofWeights();
        size = kind.inputs();
        this.channels = channels;
        taps = new double[WinogradKind.TAPS * WinogradKind.TAPS][channels];
        rows = new double[size * WinogradKind.TAPS][channels];
        products = new double[size * size][channels];
    }

    /**
     * The transformed weights, plane by plane, until the next call.
     *
     * @param weights channel by channel, a square of taps each
     */
    double[][] transform(float[] weights) {
        for (int tap = 0; tap < taps.length; tap++) {
            take(weights, tap, taps.length, taps[tap]);
        }
        double[][] column = new double[size][];
        for (int x = 0; x < WinogradKind.TAPS; x++) {
            for (int i = 0; i < size; i++) {
                column[i] = rows[i * WinogradKind.TAPS + x];
            }
            map.apply(new double[][] {taps[x], taps[WinogradKind.TAPS + x], taps[2 * WinogradKind.TAPS + x]}, column);
        }
        for (int i = 0; i < size; i++) {
            map.apply(
                    Arrays.copyOfRange(rows, i * WinogradKind.TAPS, (i + 1) * WinogradKind.TAPS),
                    Arrays.copyOfRange(products, i * size, (i + 1) * size));
        }
        return products;
    }

    private void take(float[] weights, int first, int step, double[] plane) {
        for (int i = 0; i < channels; i++) {
            plane[i] = weights[first + i * step];
        }
    }
}
