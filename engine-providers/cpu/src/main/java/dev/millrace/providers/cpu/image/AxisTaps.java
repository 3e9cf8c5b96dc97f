package dev.millrace.providers.cpu.image;

import dev.millrace.scheduler.pool.Scratch;

/**
 * Samples of cells along one axis of an image, each between two pixels. Those that lie outside of the image are left out.
 *
 * @param samples of each cell, with those outside
 * @param ends the sample behind the last one of each cell
 * @param before the pixel before each sample
 * @param after the pixel behind each sample
 * @param nears how much of a sample is the pixel before it
 * @param fars how much of a sample is the pixel behind it
 */
record AxisTaps(int cells, int samples, int[] ends, int[] before, int[] after, double[] nears, double[] fars) {
    /** Arrays that a scratch has of this. */
    private static final int INTS = 3;

    private static final int DOUBLES = 2;

    /**
     * Cells that lie behind each other, with samples spread evenly over each.
     *
     * @param start of the first cell
     * @param extent of a cell
     */
    record Line(double start, double extent, int samples) {
        private double place(long cell, int sample) {
            return start + cell * extent + (sample + 0.5) * extent / samples;
        }
    }

    /**
     * The samples of some cells.
     *
     * @param axis the number of the arrays that they lie in
     * @param adds whether samples of a cell between the same pixels become one, which is their sum
     */
    static AxisTaps of(Scratch scratch, int axis, Line line, long first, int cells, int pixels, boolean adds) {
        int most = cells * line.samples();
        var taps = new AxisTaps(
                cells,
                line.samples(),
                scratch.ints(INTS * axis, cells),
                scratch.ints(INTS * axis + 1, most),
                scratch.ints(INTS * axis + 2, most),
                scratch.doubles(DOUBLES * axis, most),
                scratch.doubles(DOUBLES * axis + 1, most));
        int count = 0;
        for (int cell = 0; cell < cells; cell++) {
            int start = count;
            for (int i = 0; i < line.samples() && pixels > 0; i++) {
                double place = line.place(first + cell, i);
                if (place < -1 || place > pixels) {
                    continue;
                }
                double clamped = Math.clamp(place, 0, pixels - 1);
                if (adds && count > start && taps.before[count - 1] == (int) clamped) {
                    taps.add(count - 1, clamped);
                } else {
                    taps.set(count++, clamped, pixels);
                }
            }
            taps.ends[cell] = count;
        }
        return taps;
    }

    private void set(int sample, double place, int pixels) {
        before[sample] = (int) place;
        after[sample] = Math.min(before[sample] + 1, pixels - 1);
        nears[sample] = 0;
        fars[sample] = 0;
        add(sample, place);
    }

    private void add(int sample, double place) {
        double far = place - before[sample];
        nears[sample] += 1 - far;
        fars[sample] += far;
    }

    /** The first sample of a cell. */
    int first(int cell) {
        return cell == 0 ? 0 : ends[cell - 1];
    }

    /** How many samples of a cell lie in the image. */
    int inside(int cell) {
        return ends[cell] - first(cell);
    }

    /** The first pixel that a sample lies behind. */
    int firstPixel() {
        int first = Integer.MAX_VALUE;
        for (int i = 0; i < ends[cells - 1]; i++) {
            first = Math.min(first, before[i]);
        }
        return first;
    }

    /** The pixel behind the last one that a sample lies before; 0 without samples. */
    int endPixel() {
        int end = 0;
        for (int i = 0; i < ends[cells - 1]; i++) {
            end = Math.max(end, after[i] + 1);
        }
        return end;
    }
}
