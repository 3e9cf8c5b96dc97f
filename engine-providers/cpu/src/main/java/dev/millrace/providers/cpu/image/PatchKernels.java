package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Col2Im puts patches back and adds where they overlap; AffineGrid makes the coordinates of a transformed image. */
final class PatchKernels {
    /** Numbers that planes which are small are read and written by together. */
    private static final int BLOCK = 4096;

    private PatchKernels() {}

    private static long at(long @Nullable [] values, int index, long otherwise) {
        return values == null || index >= values.length ? otherwise : values[index];
    }

    static ShapedKernel col2Im(Node node) {
        long[] dilations = node.attributes().integers("dilations");
        long[] pads = node.attributes().integers("pads");
        long[] strides = node.attributes().integers("strides");
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            long[] image = context.requireValue(1).longs();
            long[] window = context.requireValue(2).longs();
            int rank = image.length;
            long[] positions = new long[rank];
            for (int i = 0; i < rank; i++) {
                long reach = at(dilations, i, 1) * (window[i] - 1) + 1;
                long padded = image[i] + at(pads, i, 0) + at(pads, rank + i, 0);
                positions[i] = (padded - reach) / at(strides, i, 1) + 1;
            }
            long columns = Shape.of(positions).elements();
            long rows = Shape.of(window).elements();
            if (columns != in.dim(2)) {
                throw EngineException.invalidArgument(node.describe() + ": " + in.dim(2)
                        + " columns are given where image and blocks have " + columns);
            }
            ElementType type = context.inputType(0);
            int size =
                    ArrayExtents.toInt("elements of an image", Shape.of(image).elements());
            int count = ArrayExtents.table("elements of patches", rows * columns, Integer.BYTES);
            int[] cells = new int[count];
            for (int i = 0; i < count; i++) {
                long cell = 0;
                long step = 1;
                long row = i / columns;
                long column = i % columns;
                for (int axis = rank - 1; axis >= 0 && cell >= 0; axis--) {
                    long at = column % positions[axis] * at(strides, axis, 1)
                            + row % window[axis] * at(dilations, axis, 1)
                            - at(pads, axis, 0);
                    cell = at < 0 || at >= image[axis] ? -1 : cell + at * step;
                    step *= image[axis];
                    row /= window[axis];
                    column /= positions[axis];
                }
                cells[i] = (int) cell;
            }
            int together = Math.max(1, Math.min(BLOCK / Math.max(1, count), BLOCK / Math.max(1, size)));
            RangeTask task = (run, from, to, scratch) -> {
                double[] sums = scratch.doubles(0, ArrayExtents.product("elements of images", together, size));
                int block = ArrayExtents.product("elements of patches", together, count);
                float[] floats = scratch.floats(0, type == ElementType.FLOAT ? block : 0);
                double[] doubles = scratch.doubles(1, type == ElementType.FLOAT ? 0 : block);
                for (long plane = from; plane < to; plane += together) {
                    int planes = (int) Math.min(together, to - plane);
                    Arrays.fill(sums, 0, planes * size, 0);
                    if (type == ElementType.FLOAT) {
                        Elements.read(type, run.input(0), plane * count, floats, 0, planes * count);
                    } else {
                        Elements.read(type, run.input(0), plane * count, doubles, 0, planes * count);
                    }
                    for (int i = 0; i < planes; i++) {
                        if (type == ElementType.FLOAT) {
                            add(floats, i * count, cells, count, sums, i * size);
                        } else {
                            add(doubles, i * count, cells, count, sums, i * size);
                        }
                    }
                    Elements.write(type, run.output(0), plane * size, sums, 0, planes * size);
                }
            };
            long grain = Math.max(together, 4096 / Math.max(1, count));
            return run -> run.parallelFor(out.dim(0) * out.dim(1), grain, task);
        };
    }

    /** Adds patches of one plane to the cells of its image. */
    private static void add(double[] patches, int from, int[] cells, int count, double[] sums, int to) {
        for (int i = 0; i < count; i++) {
            if (cells[i] >= 0) {
                sums[to + cells[i]] += patches[from + i];
            }
        }
    }

    private static void add(float[] patches, int from, int[] cells, int count, double[] sums, int to) {
        for (int i = 0; i < count; i++) {
            if (cells[i] >= 0) {
                sums[to + cells[i]] += patches[from + i];
            }
        }
    }

    static ShapedKernel affineGrid(Node node) {
        boolean aligned = node.attributes().flag("align_corners", false);
        return context -> {
            Shape out = context.outputShape(0);
            int rank = (int) out.dim(out.rank() - 1);
            long points = out.elements(1, rank + 1);
            ElementType type = context.inputType(0);
            RangeTask task = (run, from, to, scratch) -> {
                double[] theta = scratch.doubles(0, rank * (rank + 1));
                double[] point = scratch.doubles(1, rank + 1);
                for (long item = from; item < to; item++) {
                    int size = rank * (rank + 1);
                    Elements.read(type, run.input(0), item / points * size, theta, 0, size);
                    long rest = item % points;
                    for (int i = 0; i < rank; i++) {
                        long extent = out.dim(rank - i);
                        point[i] = coordinate(rest % extent, extent, aligned);
                        rest /= extent;
                    }
                    point[rank] = 1;
                    for (int i = 0; i < rank; i++) {
                        double sum = 0;
                        for (int k = 0; k <= rank; k++) {
                            sum += theta[i * (rank + 1) + k] * point[k];
                        }
                        Elements.setDouble(type, run.output(0), item * rank + i, sum);
                    }
                }
            };
            return run -> run.parallelFor(out.dim(0) * points, 1024, task);
        };
    }

    private static double coordinate(long at, long extent, boolean aligned) {
        if (aligned) {
            return extent == 1 ? 0 : 2.0 * at / (extent - 1) - 1;
        }
        return (2.0 * at + 1) / extent - 1;
    }
}
