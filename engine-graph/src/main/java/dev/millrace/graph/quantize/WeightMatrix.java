package dev.millrace.graph.quantize;

import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;

/**
 * A constant matrix as columns that are quantised each for itself.
 *
 * @param isColumnMajor whether the elements of a column lie side by side
 * @param factor multiplies each element
 */
record WeightMatrix(Tensor tensor, boolean isColumnMajor, float factor) {
    /** The most elements that a task has in memory as floats. */
    private static final int STRIP_ELEMENTS = 1 << 19;

    private static final int WIDEST_STRIP = 64;
    private static final int NARROWEST_STRIP = 8;

    /** The elements of a column. */
    int rows() {
        return (int) tensor.shape().dim(isColumnMajor ? 1 : 0);
    }

    int columns() {
        return (int) tensor.shape().dim(isColumnMajor ? 0 : 1);
    }

    /** The number of columns that a task reads at once. */
    int stripWidth() {
        return Math.clamp(STRIP_ELEMENTS / Math.max(1, rows()), NARROWEST_STRIP, WIDEST_STRIP);
    }

    int strips() {
        return Math.ceilDiv(columns(), stripWidth());
    }

    /** Reads the columns from {@code first} on, one after the other. */
    void read(int first, int count, float[] to) {
        int rows = rows();
        if (isColumnMajor) {
            Elements.read(tensor.type(), tensor.segment(), (long) first * rows, to, 0, count * rows);
        } else {
            float[] part = new float[count];
            for (int row = 0; row < rows; row++) {
                Elements.read(tensor.type(), tensor.segment(), (long) row * columns() + first, part, 0, count);
                for (int column = 0; column < count; column++) {
                    to[column * rows + row] = part[column];
                }
            }
        }
        if (factor != 1) {
            for (int i = 0; i < count * rows; i++) {
                to[i] *= factor;
            }
        }
    }
}
