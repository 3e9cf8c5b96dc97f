package dev.millrace.providers.cpu.image.webp;

/** The prediction of square blocks from the samples above and left of them. */
final class Prediction {
    /** The samples along the edge: from the lowest one on the left over the corner to the eighth one above. */
    private final int[] edge = new int[13];

    /** Predicts a whole plane of a macroblock. */
    static void whole(Samples plane, int mode, int x, int y, int size) {
        int mean = mode == Macroblock.MEAN ? mean(plane, x, y, size) : 0;
        int corner = plane.get(x - 1, y - 1);
        for (int j = y; j < y + size; j++) {
            int left = plane.get(x - 1, j);
            for (int i = x; i < x + size; i++) {
                plane.set(
                        i,
                        j,
                        switch (mode) {
                            case Macroblock.MEAN -> mean;
                            case Macroblock.VERTICAL -> plane.get(i, y - 1);
                            case Macroblock.HORIZONTAL -> left;
                            default -> left + plane.get(i, y - 1) - corner;
                        });
            }
        }
    }

    /** Returns the mean of the edges that are inside the image. */
    private static int mean(Samples plane, int x, int y, int size) {
        int sum = 0;
        int count = 0;
        for (int i = 0; y > 0 && i < size; i++) {
            sum += plane.get(x + i, y - 1);
            count++;
        }
        for (int j = 0; x > 0 && j < size; j++) {
            sum += plane.get(x - 1, y + j);
            count++;
        }
        return count == 0 ? 128 : (sum + count / 2) / count;
    }

    /** Predicts 4 × 4 samples; {@code right} are the four above on the right. */
    void block(Samples plane, int mode, int x, int y, int[] right) {
        for (int i = 0; i < 4; i++) {
            edge[3 - i] = plane.get(x - 1, y + i);
            edge[5 + i] = plane.get(x + i, y - 1);
            edge[9 + i] = right[i];
        }
        edge[4] = plane.get(x - 1, y - 1);
        int mean = 4;
        for (int i = 0; i < 4; i++) {
            mean += edge[i] + edge[5 + i];
        }
        mean >>= 3;
        for (int j = 0; j < 4; j++) {
            for (int i = 0; i < 4; i++) {
                plane.set(x + i, y + j, mode == Macroblock.MEAN ? mean : sample(mode, i, j));
            }
        }
    }

    private int sample(int mode, int x, int y) {
        return switch (mode) {
            case Macroblock.TRUE_MOTION -> edge[3 - y] + edge[5 + x] - edge[4];
            case Macroblock.VERTICAL -> smooth(5 + x);
            case Macroblock.HORIZONTAL -> y == 3 ? smooth(edge[1], edge[0], edge[0]) : smooth(3 - y);
            case Macroblock.DOWN_RIGHT -> smooth(4 + x - y);
            case Macroblock.DOWN_LEFT -> x + y == 6 ? smooth(edge[11], edge[12], edge[12]) : smooth(6 + x + y);
            case Macroblock.VERTICAL_RIGHT -> verticalRight(x, y);
            case Macroblock.VERTICAL_LEFT -> verticalLeft(x, y);
            case Macroblock.HORIZONTAL_DOWN -> horizontalDown(x, y);
            default -> horizontalUp(x + 2 * y);
        };
    }

    private int verticalRight(int x, int y) {
        int across = 2 * x - y;
        if (across < 0) {
            return smooth(5 + across);
        }
        int at = 4 + across / 2;
        return across % 2 == 0 ? between(at) : smooth(at + 1);
    }

    private int verticalLeft(int x, int y) {
        if (x == 3 && y > 1) {
            return smooth(y + 8);
        }
        int at = 5 + x + y / 2;
        return y % 2 == 0 ? between(at) : smooth(at + 1);
    }

    private int horizontalDown(int x, int y) {
        int down = 2 * y - x;
        if (down < 0) {
            return smooth(3 - down);
        }
        int at = 3 - down / 2;
        return down % 2 == 0 ? between(at) : smooth(at);
    }

    private int horizontalUp(int down) {
        int at = 3 - down / 2;
        if (down > 5) {
            return edge[0];
        }
        if (down == 5) {
            return smooth(edge[1], edge[0], edge[0]);
        }
        return down % 2 == 0 ? between(at - 1) : smooth(at - 1);
    }

    /** Returns the mean of a sample of the edge and the next one. */
    private int between(int at) {
        return (edge[at] + edge[at + 1] + 1) >> 1;
    }

    private int smooth(int at) {
        return smooth(edge[at - 1], edge[at], edge[at + 1]);
    }

    private static int smooth(int before, int middle, int after) {
        return (before + 2 * middle + after + 2) >> 2;
    }
}
