package dev.millrace.providers.cpu.search;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Words as rows, and the rows of tensors. */
final class WordRows {
    private WordRows() {}

    static int[][] of(Tensor words) {
        int[] all = words.ints();
        int length = Math.toIntExact(words.shape().dim(1));
        int[][] rows = new int[Math.toIntExact(words.shape().dim(0))][];
        Arrays.setAll(rows, i -> Arrays.copyOfRange(all, i * length, (i + 1) * length));
        return rows;
    }

    /** The last words of each sequence. */
    static Tensor last(int[][] sequences, int count) {
        int[] all = new int[sequences.length * count];
        for (int i = 0; i < sequences.length; i++) {
            System.arraycopy(sequences[i], sequences[i].length - count, all, i * count, count);
        }
        return Tensor.copyOf(all, sequences.length, count);
    }

    /** Which row a sequence goes on from, where there are as many rows or fewer, which neighbours share. */
    static int[] sources(int[] from, long rows) {
        int share = Math.toIntExact(from.length / rows);
        return Arrays.stream(from).map(i -> i / share).toArray();
    }

    /** The parts of a tensor along an axis that {@code from} names. */
    static Tensor gather(DynamicContext context, Tensor tensor, int axis, int[] from) {
        int rows = Math.toIntExact(tensor.shape().dim(axis));
        if (Arrays.equals(from, IntStream.range(0, rows).toArray())) {
            return tensor;
        }
        Shape shape = tensor.shape().with(axis, from.length);
        Tensor result = Tensor.allocate(tensor.type(), shape);
        long bytes = tensor.type().bytes(shape.elements(axis + 1, shape.rank()));
        long blocks = shape.elements(0, axis);
        for (long block = 0; block < blocks; block++) {
            for (int i = 0; i < from.length; i++) {
                context.checkCancelled();
                long source = (block * rows + from[i]) * bytes;
                result.segment()
                        .asSlice((block * from.length + i) * bytes, bytes)
                        .copyFrom(tensor.segment().asSlice(source, bytes));
            }
        }
        return result;
    }
}
