package dev.millrace.providers.cpu.image.jpeg2000;

/** The inverse wavelet transform of whole numbers, with filters of five and three samples. */
final class WholeWavelet {
    private WholeWavelet() {}

    /** A resolution of the next smaller one and three bands, in the order of {@link Subband}'s kinds. */
    static int[] join(Area area, int[][] bands) {
        int width = area.width();
        int height = area.height();
        int oddX = area.x0() & 1;
        int oddY = area.y0() & 1;
        int[] out = new int[width * height];
        for (int y = 0; y < height; y++) {
            int down = (y + oddY & 1) << 1;
            for (int across = 0; across < 2; across++) {
                int first = across ^ oddX;
                int count = (width - first + 1) / 2;
                int[] band = bands[down | across];
                int from = y / 2 * count;
                for (int i = 0; i < count; i++) {
                    out[y * width + first + 2 * i] = band[from + i];
                }
            }
            undo(out, y * width, 1, 1, width, oddX);
        }
        undo(out, 0, width, width, height, oddY);
        return out;
    }

    /** Undoes the transform of {@code lanes} neighbouring rows of {@code count} samples that are {@code stride} apart. */
    private static void undo(int[] values, int base, int stride, int lanes, int count, int odd) {
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
