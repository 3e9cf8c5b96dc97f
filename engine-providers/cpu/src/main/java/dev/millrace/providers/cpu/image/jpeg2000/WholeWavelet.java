package dev.millrace.providers.cpu.image.jpeg2000;

/** The inverse wavelet transform of whole numbers, with filters of five and three samples. */
final class WholeWavelet extends Wavelet<int[]> {
    @Override
    int[] make(int samples) {
        return new int[samples];
    }

    @Override
    void spread(int[] band, int from, int count, int[] out, int to) {
        for (int i = 0; i < count; i++) {
            out[to + 2 * i] = band[from + i];
        }
    }

    @Override
    void undo(int[] values, int base, int stride, int lanes, int count, int odd) {
        if (count == 1) {
            for (int i = 0; odd == 1 && i < lanes; i++) {
                values[base + i] /= 2;
            }
            return;
        }
        for (int i = odd; i < count; i += 2) {
            int at = base + i * stride;
            int before = i == 0 ? at + stride : at - stride;
            int after = i == count - 1 ? at - stride : at + stride;
            for (int lane = 0; lane < lanes; lane++) {
                values[at + lane] -= (values[before + lane] + values[after + lane] + 2) >> 2;
            }
        }
        for (int i = 1 - odd; i < count; i += 2) {
            int at = base + i * stride;
            int before = i == 0 ? at + stride : at - stride;
            int after = i == count - 1 ? at - stride : at + stride;
            for (int lane = 0; lane < lanes; lane++) {
                values[at + lane] += (values[before + lane] + values[after + lane]) >> 1;
            }
        }
    }
}
