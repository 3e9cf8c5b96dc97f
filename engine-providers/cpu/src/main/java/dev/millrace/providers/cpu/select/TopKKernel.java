package dev.millrace.providers.cpu.select;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;

/**
 * The k largest or smallest along an axis, in order, equal ones by lower index. Values become longs of the same order;
 * a heap keeps the k best with the worst on top.
 */
record TopKKernel(
        ElementType type, long extent, int k, long inner, long lines, boolean largest, boolean values, boolean indices)
        implements Launch, RangeTask {
    private static final int BLOCK = 1 << 16;

    static ShapedKernel kernel(Node node) {
        Attributes attributes = node.attributes();
        long axisAttribute = attributes.integer("axis", -1);
        boolean largest = attributes.flag("largest", true);
        return context -> {
            Shape in = context.inputShape(0);
            int axis = Shape.axis(axisAttribute, in.rank());
            int k = ArrayExtents.toInt("chosen elements", outputExtent(context, axis));
            long inner = in.elements(axis + 1, in.rank());
            return new TopKKernel(
                    context.inputType(0),
                    in.dim(axis),
                    k,
                    inner,
                    in.elements(0, axis) * inner,
                    largest,
                    context.hasOutput(0),
                    context.hasOutput(1));
        };
    }

    private static long outputExtent(BindContext context, int axis) {
        return context.outputShape(context.hasOutput(0) ? 0 : 1).dim(axis);
    }

    @Override
    public void run(LaunchContext context) {
        if (k > 0) {
            context.parallelFor(lines, Math.max(1, 4096 / extent), this);
        }
    }

    @Override
    public void run(LaunchContext context, long from, long to, Scratch scratch) {
        int n = ArrayExtents.toInt("elements of a lane", extent);
        long[] keys = scratch.longs(0, n);
        int[] heap = scratch.ints(0, k);
        MemorySegment source = context.input(0);
        for (long line = from; line < to; line++) {
            long outer = line / inner;
            long lane = line % inner;
            context.checkCancelled();
            for (int at = 0; at < n; at += BLOCK) {
                context.checkCancelled();
                long first = (outer * n + at) * inner + lane;
                SortKey.read(type, source, first, inner, keys, at, Math.min(BLOCK, n - at));
            }
            select(context, keys, n, heap);
            for (int i = 0; i < k; i++) {
                context.checkCancelled(i);
                long at = (outer * k + i) * inner + lane;
                if (values) {
                    SortKey.copy(type, source, (outer * n + heap[i]) * inner + lane, context.output(0), at);
                }
                if (indices) {
                    Elements.setLong(ElementType.INT64, context.output(1), at, heap[i]);
                }
            }
        }
    }

    /** Leaves in {@code heap} the indices of the {@code k} best keys, in order. */
    private void select(LaunchContext context, long[] keys, int n, int[] heap) {
        for (int i = 0; i < k; i++) {
            heap[i] = i;
        }
        for (int i = k / 2 - 1; i >= 0; i--) {
            context.checkCancelled(i);
            sink(keys, heap, i, k);
        }
        for (int start = k; start < n; start += BLOCK) {
            context.checkCancelled();
            int end = Math.min(n, start + BLOCK);
            for (int i = nextBetter(keys, heap[0], start, end); i < end; i = nextBetter(keys, heap[0], i + 1, end)) {
                heap[0] = i;
                sink(keys, heap, 0, k);
            }
        }
        for (int end = k - 1; end > 0; end--) {
            context.checkCancelled(end);
            int worst = heap[0];
            heap[0] = heap[end];
            heap[end] = worst;
            sink(keys, heap, 0, end);
        }
    }

    /** The index of the next key that is better than the worst one kept, or {@code end}. */
    private int nextBetter(long[] keys, int worst, int from, int end) {
        return largest ? nextAbove(keys, keys[worst], from, end) : nextBelow(keys, keys[worst], from, end);
    }

    private static int nextAbove(long[] keys, long bound, int from, int end) {
        int i = from;
        while (i < end && keys[i] <= bound) {
            i++;
        }
        return i;
    }

    private static int nextBelow(long[] keys, long bound, int from, int end) {
        int i = from;
        while (i < end && keys[i] >= bound) {
            i++;
        }
        return i;
    }

    private void sink(long[] keys, int[] heap, int start, int size) {
        int at = start;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && isWorse(keys, heap[child + 1], heap[child])) {
                child++;
            }
            if (!isWorse(keys, heap[child], heap[at])) {
                return;
            }
            int moved = heap[at];
            heap[at] = heap[child];
            heap[child] = moved;
            at = child;
        }
    }

    private boolean isWorse(long[] keys, int a, int b) {
        return keys[a] == keys[b] ? a > b : largest ? keys[a] < keys[b] : keys[a] > keys[b];
    }
}
