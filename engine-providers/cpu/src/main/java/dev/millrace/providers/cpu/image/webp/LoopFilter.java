package dev.millrace.providers.cpu.image.webp;

/** Smooths the edges of macroblocks and of the blocks in them, where they are not the image's own. */
final class LoopFilter {
    private final boolean simple;

    LoopFilter(boolean simple) {
        this.simple = simple;
    }

    /** Smooths a macroblock's edges with those left and above, and where asked those inside it. */
    void smooth(Samples[] planes, int column, int row, FilterStrength strength, boolean inside) {
        if (strength.limit() == 0) {
            return;
        }
        for (int p = 0; p < (simple ? 1 : 3); p++) {
            Samples plane = planes[p];
            int size = p == 0 ? 16 : 8;
            int start = plane.index(column * size, row * size);
            if (column > 0) {
                edge(plane.data, start, 1, plane.stride, size, strength, true);
            }
            for (int i = 4; inside && i < size; i += 4) {
                edge(plane.data, start + i, 1, plane.stride, size, strength, false);
            }
            if (row > 0) {
                edge(plane.data, start, plane.stride, 1, size, strength, true);
            }
            for (int i = 4; inside && i < size; i += 4) {
                edge(plane.data, start + i * plane.stride, plane.stride, 1, size, strength, false);
            }
        }
    }

    /** One edge of {@code size} samples: {@code across} leads over it, {@code along} to its next sample. */
    private void edge(byte[] data, int start, int across, int along, int size, FilterStrength strength, boolean outer) {
        int limit = 2 * (strength.limit() + (outer ? 4 : 0)) + 1;
        for (int i = 0, at = start; i < size; i++, at += along) {
            if (4 * difference(data, at - across, at) + difference(data, at - 2 * across, at + across) > limit) {
                continue;
            }
            if (simple) {
                two(data, at, across);
            } else if (calm(data, at, across, strength.inner())) {
                if (difference(data, at - 2 * across, at - across) > strength.variance()
                        || difference(data, at + across, at) > strength.variance()) {
                    two(data, at, across);
                } else if (outer) {
                    six(data, at, across);
                } else {
                    four(data, at, across);
                }
            }
        }
    }

    /** Whether the samples on each side of an edge are near each other. */
    private static boolean calm(byte[] data, int at, int step, int most) {
        for (int i = 1; i < 4; i++) {
            if (difference(data, at - i * step, at - (i + 1) * step) > most
                    || difference(data, at + i * step, at + (i - 1) * step) > most) {
                return false;
            }
        }
        return true;
    }

    private static void two(byte[] data, int at, int step) {
        int outer = signed(sample(data, at - 2 * step) - sample(data, at + step));
        int change = 3 * (sample(data, at) - sample(data, at - step)) + outer;
        move(data, at - step, small(change + 3));
        move(data, at, -small(change + 4));
    }

    private static void four(byte[] data, int at, int step) {
        int change = 3 * (sample(data, at) - sample(data, at - step));
        int after = small(change + 4);
        int outer = (after + 1) >> 1;
        move(data, at - 2 * step, outer);
        move(data, at - step, small(change + 3));
        move(data, at, -after);
        move(data, at + step, -outer);
    }

    private static void six(byte[] data, int at, int step) {
        int outer = signed(sample(data, at - 2 * step) - sample(data, at + step));
        int change = signed(3 * (sample(data, at) - sample(data, at - step)) + outer);
        for (int i = 0; i < 3; i++) {
            int part = ((27 - 9 * i) * change + 63) >> 7;
            move(data, at - (i + 1) * step, part);
            move(data, at + i * step, -part);
        }
    }

    private static int signed(int value) {
        return Math.clamp(value, -128, 127);
    }

    /** An eighth, as the samples next to an edge may move at most. */
    private static int small(int value) {
        return Math.clamp(value >> 3, -16, 15);
    }

    private static void move(byte[] data, int at, int by) {
        data[at] = (byte) Samples.clip(sample(data, at) + by);
    }

    private static int difference(byte[] data, int a, int b) {
        return Math.abs(sample(data, a) - sample(data, b));
    }

    private static int sample(byte[] data, int at) {
        return data[at] & 255;
    }
}
