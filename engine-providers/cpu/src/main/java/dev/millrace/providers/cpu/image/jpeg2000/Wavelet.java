package dev.millrace.providers.cpu.image.jpeg2000;

/**
 * An inverse wavelet transform of a resolution: bands are put together, then the transform of rows is undone, then that of
 * columns.
 *
 * @param <A> arrays of samples
 */
abstract class Wavelet<A> {
    /** So many columns are undone between two calls of a check. */
    private static final int LANES = 1 << 10;

    abstract A make(int samples);

    /** Puts {@code count} neighbouring samples of a band into every other place from {@code to} on. */
    abstract void spread(A band, int from, int count, A out, int to);

    /** Undoes the transform of {@code lanes} neighbouring rows of {@code count} samples that are {@code stride} apart. */
    abstract void undo(A values, int base, int stride, int lanes, int count, int odd);

    /**
     * A resolution of the next smaller one and three bands, in the order of {@link Subband}'s kinds.
     *
     * @param check throws where nobody waits for the image any more
     */
    final A join(Area area, A[] bands, Runnable check) {
        int width = area.width();
        int height = area.height();
        int oddX = area.x0() & 1;
        int oddY = area.y0() & 1;
        A out = make(width * height);
        for (int y = 0; y < height; y++) {
            check.run();
            int down = (y + oddY & 1) << 1;
            for (int across = 0; across < 2; across++) {
                int first = across ^ oddX;
                int count = (width - first + 1) / 2;
                spread(bands[down | across], y / 2 * count, count, out, y * width + first);
            }
            undo(out, y * width, 1, 1, width, oddX);
        }
        for (int x = 0; x < width; x += LANES) {
            check.run();
            undo(out, x, width, Math.min(LANES, width - x), height, oddY);
        }
        return out;
    }
}
