package dev.millrace.providers.cpu.contrib;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.Arrays;

/** DynamicTimeWarping: the cheapest way through a matrix of costs, from its first to its last element. */
record WarpingKernel(Node node) implements DynamicKernel {
    private static final byte BOTH = 0;
    private static final byte ROW = 1;
    private static final byte COLUMN = 2;

    @Override
    public void run(DynamicContext context) {
        Tensor costs = context.tensor(0);
        Shape shape = costs.shape();
        if (shape.rank() == 3 && shape.dim(0) != 1) {
            throw EngineException.invalidArgument(
                    node.describe() + ": costs of shape " + shape + " where one matrix is expected");
        }
        int rows = Math.toIntExact(shape.dimAt(-2));
        int columns = Math.toIntExact(shape.dimAt(-1));
        int[][] way = way(steps(context, costs, rows, columns), rows, columns);
        int[] places = Arrays.copyOf(way[0], 2 * way[0].length);
        System.arraycopy(way[1], 0, places, way[0].length, way[1].length);
        context.output(0, Tensor.copyOf(places, 2, way[0].length));
    }

    /** How the cheapest way to each element comes there: from the row before, the column before, or both. */
    private static byte[][] steps(DynamicContext context, Tensor costs, int rows, int columns) {
        byte[][] steps = new byte[rows][columns];
        float[] row = new float[columns];
        float[] before = new float[columns + 1];
        float[] sums = new float[columns + 1];
        Arrays.fill(before, Float.POSITIVE_INFINITY);
        before[0] = 0;
        for (int i = 0; i < rows; i++) {
            context.checkCancelled();
            Elements.read(ElementType.FLOAT, costs.segment(), (long) i * columns, row, 0, columns);
            sums[0] = Float.POSITIVE_INFINITY;
            for (int j = 0; j < columns; j++) {
                float both = before[j];
                float down = before[j + 1];
                float right = sums[j];
                boolean isBoth = both < down && both < right;
                boolean isDown = !isBoth && down < both && down < right;
                steps[i][j] = isBoth ? BOTH : isDown ? ROW : COLUMN;
                sums[j + 1] = row[j] + (isBoth ? both : isDown ? down : right);
            }
            float[] spare = before;
            before = sums;
            sums = spare;
        }
        return steps;
    }

    private static int[][] way(byte[][] steps, int rows, int columns) {
        int[][] back = new int[2][rows + columns];
        int count = 0;
        int i = rows - 1;
        int j = columns - 1;
        while (i >= 0 && j >= 0) {
            back[0][count] = i;
            back[1][count++] = j;
            byte step = steps[i][j];
            i -= step == COLUMN ? 0 : 1;
            j -= step == ROW ? 0 : 1;
        }
        int[][] way = new int[2][count];
        for (int k = 0; k < count; k++) {
            way[0][k] = back[0][count - 1 - k];
            way[1][k] = back[1][count - 1 - k];
        }
        return way;
    }
}
