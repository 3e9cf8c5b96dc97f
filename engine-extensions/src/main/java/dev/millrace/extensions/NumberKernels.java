package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The kernels of operators on numbers: signs, segments and rows of different lengths. */
final class NumberKernels {
    private NumberKernels() {}

    /** Separates the numbers that are not positive from those that are; zeros stand in the other's place. */
    static void signs(DynamicContext context) {
        Tensor all = context.tensor(0);
        float[] negative = all.floats().clone();
        float[] positive = new float[negative.length];
        for (int i = 0; i < negative.length; i++) {
            if (negative[i] > 0) {
                positive[i] = negative[i];
                negative[i] = 0;
            }
        }
        context.output(0, Tensor.copyOf(negative, all.shape().toArray()));
        context.output(1, Tensor.copyOf(positive, all.shape().toArray()));
    }

    /** Adds up the parts of the first axis that belong to one segment; their numbers do not fall and leave none out. */
    static void segmentSum(DynamicContext context) {
        long[] shape = context.tensor(0).shape().toArray();
        float[] data = context.tensor(0).floats();
        long[] segments = context.tensor(1).longs();
        if (shape.length == 0
                || context.tensor(1).shape().rank() != 1
                || shape[0] != segments.length
                || shape[0] == 0) {
            throw invalid(
                    context,
                    "data of the shape " + Arrays.toString(shape) + " and " + segments.length
                            + " numbers of segments; there is one number for each part of the first axis, and at least"
                            + " one");
        }
        for (int i = 0; i < segments.length; i++) {
            long before = i == 0 ? segments[0] : segments[i - 1];
            if (segments[i] < 0 || segments[i] != before && segments[i] != before + 1) {
                throw invalid(context, "segment " + segments[i] + " follows segment " + before);
            }
        }
        int width = data.length / segments.length;
        shape[0] = segments[segments.length - 1] + 1;
        float[] sums = new float[Math.toIntExact(Shape.of(shape).elements())];
        for (int i = 0; i < data.length; i++) {
            sums[(int) segments[i / width] * width + i % width] += data[i];
        }
        context.output(0, Tensor.copyOf(sums, shape));
    }

    /** Returns where runs of one number begin and end, and their numbers. Zeros are between runs. */
    static void runs(DynamicContext context) {
        Tensor all = context.tensor(0);
        if (all.shape().rank() != 1 && !(all.shape().rank() == 2 && all.shape().dim(0) == 1)) {
            throw invalid(context, "an input of the shape " + all.shape() + "; it is [n] or [1, n]");
        }
        long[] numbers = all.longs();
        List<Long> places = new ArrayList<>();
        List<Long> values = new ArrayList<>();
        int end;
        for (int start = 0; start < numbers.length; start = end) {
            end = start;
            while (end < numbers.length && numbers[end] == numbers[start]) {
                end++;
            }
            if (numbers[start] != 0) {
                values.add(numbers[start]);
                places.addAll(List.of((long) start, (long) end));
            }
        }
        context.output(0, Tensor.copyOf(array(places), values.size(), 2));
        context.output(1, Tensor.copyOf(array(values), values.size()));
    }

    private static long[] array(List<Long> numbers) {
        return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    /** Returns the rows that an input gives by the place of the first value of each, and the end of the last. */
    private static long[] starts(DynamicContext context, int input, long values) {
        long[] starts = context.tensor(input).longs();
        for (int i = 0; i < starts.length; i++) {
            if (starts[i] < (i == 0 ? 0 : starts[i - 1]) || starts[i] > values) {
                throw invalid(context, "row " + i + " begins at " + starts[i] + " of " + values + " values");
            }
        }
        if (starts.length == 0) {
            throw invalid(context, "the places where rows begin are missing");
        }
        return starts;
    }

    private static int longest(long[] starts) {
        long longest = 0;
        for (int i = 1; i < starts.length; i++) {
            longest = Math.max(longest, starts[i] - starts[i - 1]);
        }
        return Math.toIntExact(longest);
    }

    /** Returns rows as long as the longest; a number fills the others up. */
    static void dense(DynamicContext context) {
        long[] values = context.tensor(1).longs();
        long[] fillers = context.tensor(2).longs();
        long[] starts = starts(context, 3, values.length);
        if (fillers.length == 0) {
            throw invalid(context, "the number that fills rows up is missing");
        }
        int width = longest(starts);
        long[] rows = new long[Math.multiplyExact(starts.length - 1, width)];
        Arrays.fill(rows, fillers[0]);
        for (int row = 1; row < starts.length; row++) {
            int length = (int) (starts[row] - starts[row - 1]);
            System.arraycopy(values, (int) starts[row - 1], rows, (row - 1) * width, length);
        }
        context.output(0, Tensor.copyOf(rows, starts.length - 1L, width));
    }

    /** Returns the row and the column of each value, and the shape of all rows. */
    static void sparse(DynamicContext context) {
        long[] starts = starts(context, 0, Long.MAX_VALUE);
        if (starts[0] != 0) {
            throw invalid(context, "the first row begins at " + starts[0] + ", not at 0");
        }
        long[] places = new long[Math.toIntExact(Math.multiplyExact(2, starts[starts.length - 1]))];
        for (int row = 1; row < starts.length; row++) {
            for (long i = starts[row - 1]; i < starts[row]; i++) {
                context.checkCancelled(i);
                places[(int) (2 * i)] = row - 1;
                places[(int) (2 * i) + 1] = i - starts[row - 1];
            }
        }
        context.output(0, Tensor.copyOf(places, places.length / 2, 2));
        context.output(1, Tensor.copyOf(new long[] {starts.length - 1L, longest(starts)}, 2));
    }

    private static EngineException invalid(DynamicContext context, String reason) {
        return EngineException.invalidArgument(context.node().describe() + ": " + reason);
    }
}
