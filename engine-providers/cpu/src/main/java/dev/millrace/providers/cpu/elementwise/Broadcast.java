package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A reader of runs of a tensor as though it were broadcast to a larger shape. Neighbouring axes with compatible strides
 * are merged, so that equal shapes and scalars each cost one step per run.
 */
public final class Broadcast {
    private final ElementType type;
    private final long[] extents;
    private final long[] strides;
    private final boolean whole;

    private Broadcast(ElementType type, long[] extents, long[] strides) {
        this.type = type;
        this.extents = extents;
        this.strides = strides;
        this.whole = extents.length == 1 && strides[0] == 1;
    }

    /** Returns a reader of {@code from}, aligned at the last axis, as {@code to}. */
    public static Broadcast of(ElementType type, Shape from, Shape to) {
        int rank = to.rank();
        int missing = rank - from.rank();
        if (missing < 0) {
            throw EngineException.invalidArgument("shape " + from + " does not broadcast to " + to);
        }
        long[] own = from.strides();
        long[] extents = new long[rank + 1];
        long[] strides = new long[rank + 1];
        int merged = 0;
        for (int axis = rank - 1; axis >= 0; axis--) {
            long extent = to.dim(axis);
            long count = axis < missing ? 1 : from.dim(axis - missing);
            if (count != extent && count != 1) {
                throw EngineException.invalidArgument("shape " + from + " does not broadcast to " + to);
            }
            if (extent == 1) {
                continue;
            }
            long stride = count == 1 ? 0 : own[axis - missing];
            boolean joins = merged > 0
                    && (stride == 0
                            ? strides[merged - 1] == 0
                            : strides[merged - 1] != 0 && stride == strides[merged - 1] * extents[merged - 1]);
            if (joins) {
                extents[merged - 1] *= extent;
            } else {
                extents[merged] = extent;
                strides[merged++] = stride;
            }
        }
        if (merged == 0) {
            extents[0] = 1;
            strides[merged++] = 1;
        }
        return new Broadcast(type, Arrays.copyOf(extents, merged), Arrays.copyOf(strides, merged));
    }

    /** Whether reading is a plain copy. */
    public boolean isWhole() {
        return whole;
    }

    public ElementType type() {
        return type;
    }

    /** Returns the index in the small shape of element {@code index} of the large one. */
    public long offset(long index) {
        long rest = index;
        long offset = 0;
        for (int i = 0; i < extents.length && rest != 0; i++) {
            offset += rest % extents[i] * strides[i];
            rest /= extents[i];
        }
        return offset;
    }

    public void read(MemorySegment from, long first, float[] to, int count) {
        if (whole) {
            Elements.read(type, from, first, to, 0, count);
            return;
        }
        for (int at = 0; at < count; ) {
            int run = run(first + at, count - at);
            long offset = offset(first + at);
            if (strides[0] == 0) {
                Elements.read(type, from, offset, to, at, 1);
                Arrays.fill(to, at + 1, at + run, to[at]);
            } else {
                Elements.read(type, from, offset, to, at, run);
            }
            at += run;
        }
    }

    public void read(MemorySegment from, long first, double[] to, int count) {
        for (int at = 0; at < count; ) {
            int run = run(first + at, count - at);
            long offset = offset(first + at);
            if (strides[0] == 0) {
                Elements.read(type, from, offset, to, at, 1);
                Arrays.fill(to, at + 1, at + run, to[at]);
            } else {
                Elements.read(type, from, offset, to, at, run);
            }
            at += run;
        }
    }

    public void read(MemorySegment from, long first, long[] to, int count) {
        for (int at = 0; at < count; ) {
            int run = run(first + at, count - at);
            long offset = offset(first + at);
            if (strides[0] == 0) {
                Elements.read(type, from, offset, to, at, 1);
                Arrays.fill(to, at + 1, at + run, to[at]);
            } else {
                Elements.read(type, from, offset, to, at, run);
            }
            at += run;
        }
    }

    private int run(long index, int most) {
        return (int) Math.min(most, extents[0] - index % extents[0]);
    }

    /**
     * Returns the shape of the second operand under ONNX's rule before opset 7: with {@code broadcast} set, it is
     * aligned at {@code axis} of the first, or at its end where no axis is given.
     */
    public static Shape legacy(Shape first, Shape second, long axis) {
        if (axis == Long.MIN_VALUE || second.rank() == 0) {
            return second;
        }
        int start = Shape.axis(axis, first.rank());
        long[] dims = new long[Math.max(first.rank() - start, second.rank())];
        Arrays.fill(dims, 1);
        for (int i = 0; i < second.rank(); i++) {
            dims[i] = second.dim(i);
        }
        return Shape.of(dims);
    }
}
