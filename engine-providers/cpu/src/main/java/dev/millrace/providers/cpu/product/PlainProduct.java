package dev.millrace.providers.cpu.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.RangeTask;
import java.util.Arrays;

/** Products of integers: row by row, without blocking. An item is one row of the result. */
final class PlainProduct {
    private static final int WIDTH = 512;

    private PlainProduct() {}

    static RangeTask longs(MatrixBatches shape, ElementType type) {
        return (launch, from, to, scratch) -> {
            int depth = shape.depth();
            long[] line = scratch.longs(0, WIDTH);
            long[] sums = scratch.longs(1, WIDTH);
            long[] row = scratch.longs(2, depth);
            for (long item = from; item < to; item++) {
                int batch = (int) (item / shape.rows());
                Elements.read(type, launch.input(0), shape.left(batch) + item % shape.rows() * depth, row, 0, depth);
                for (int column = 0; column < shape.columns(); column += WIDTH) {
                    int width = Math.min(WIDTH, shape.columns() - column);
                    Arrays.fill(sums, 0, width, 0);
                    for (int k = 0; k < depth; k++) {
                        long at = shape.right(batch) + (long) k * shape.columns() + column;
                        Elements.read(type, launch.input(1), at, line, 0, width);
                        long factor = row[k];
                        for (int j = 0; j < width; j++) {
                            sums[j] += factor * line[j];
                        }
                    }
                    Elements.write(type, launch.output(0), item * shape.columns() + column, sums, 0, width);
                }
            }
        };
    }
}
