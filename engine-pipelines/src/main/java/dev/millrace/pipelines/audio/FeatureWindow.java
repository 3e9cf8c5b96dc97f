package dev.millrace.pipelines.audio;

import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;

/** The last rows of features. Rows that were not heard are those of silence. */
final class FeatureWindow {
    private final int width;
    private final float[] rows;

    /** @param silence the row that stands for what was not heard */
    FeatureWindow(int rows, float[] silence) {
        this.width = silence.length;
        this.rows = new float[rows * width];
        for (int row = 0; row < rows; row++) {
            System.arraycopy(silence, 0, this.rows, row * width, width);
        }
    }

    /** Adds rows behind the others, and drops as many of the first. */
    void add(float[] further) {
        int kept = Math.max(0, rows.length - further.length);
        System.arraycopy(rows, rows.length - kept, rows, 0, kept);
        System.arraycopy(further, further.length - (rows.length - kept), rows, kept, rows.length - kept);
    }

    /** Returns the last rows as a tensor of this shape. */
    Tensor last(int count, long... shape) {
        return Tensor.copyOf(Arrays.copyOfRange(rows, rows.length - count * width, rows.length), shape);
    }
}
