package dev.millrace.graph.tensor;

import dev.millrace.graph.EngineException;
import java.util.Arrays;
import java.util.List;

/** The concrete extents of a tensor. A scalar has rank 0. Immutable. */
public final class Shape {
    public static final Shape SCALAR = new Shape(new long[0]);

    private final long[] dims;
    private final long elements;

    private Shape(long[] dims) {
        this.dims = dims;
        this.elements = count(dims);
    }

    /** Returns a shape with these extents; throws for negative extents and an element count beyond a long. */
    public static Shape of(long... dims) {
        return dims.length == 0 ? SCALAR : new Shape(dims.clone());
    }

    public static Shape of(List<Long> dims) {
        long[] extents = new long[dims.size()];
        for (int i = 0; i < extents.length; i++) {
            extents[i] = dims.get(i);
        }
        return extents.length == 0 ? SCALAR : new Shape(extents);
    }

    private static long count(long[] dims) {
        long product = 1;
        boolean zero = false;
        for (long dim : dims) {
            if (dim < 0) {
                throw EngineException.invalidArgument("negative extent in shape " + Arrays.toString(dims));
            }
            if (dim == 0) {
                zero = true;
            } else if (Math.multiplyHigh(product, dim) != 0 || product * dim < 0) {
                throw EngineException.invalidArgument("shape " + Arrays.toString(dims) + " has too many elements");
            } else {
                product *= dim;
            }
        }
        return zero ? 0 : product;
    }

    public int rank() {
        return dims.length;
    }

    public long dim(int axis) {
        return dims[axis];
    }

    /** The extent of {@code axis}, where negative axes count from the end. */
    public long dimAt(int axis) {
        return dims[axis < 0 ? axis + dims.length : axis];
    }

    public long elements() {
        return elements;
    }

    /** The product of the extents in {@code [from, to)}; 1 where that is empty. */
    public long elements(int from, int to) {
        long product = 1;
        for (int i = from; i < to; i++) {
            product *= dims[i];
        }
        return product;
    }

    public long[] toArray() {
        return dims.clone();
    }

    /** Row-major strides in elements. */
    public long[] strides() {
        long[] strides = new long[dims.length];
        long step = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            strides[i] = step;
            step *= dims[i];
        }
        return strides;
    }

    /** Returns this shape with another extent at {@code axis}. */
    public Shape with(int axis, long extent) {
        long[] copy = dims.clone();
        copy[axis] = extent;
        return new Shape(copy);
    }

    /** Returns {@code axis} counted from the front; throws where it is outside {@code [-rank, rank)}. */
    public static int axis(long axis, int rank) {
        if (axis < -rank || axis >= rank) {
            throw EngineException.invalidArgument("axis " + axis + " is outside [-" + rank + ", " + rank + ")");
        }
        return (int) (axis < 0 ? axis + rank : axis);
    }

    /** Returns the shape to which both broadcast by numpy's rule; throws where they do not. */
    public static Shape broadcast(Shape a, Shape b) {
        if (a.equals(b)) {
            return a;
        }
        int rank = Math.max(a.rank(), b.rank());
        long[] dims = new long[rank];
        for (int i = 1; i <= rank; i++) {
            long x = i <= a.rank() ? a.dims[a.rank() - i] : 1;
            long y = i <= b.rank() ? b.dims[b.rank() - i] : 1;
            if (x != y && x != 1 && y != 1) {
                throw EngineException.invalidArgument("shapes " + a + " and " + b + " do not broadcast");
            }
            dims[rank - i] = x == 1 ? y : x;
        }
        return new Shape(dims);
    }

    @Override
    public boolean equals(Object other) {
        return this == other || other instanceof Shape shape && Arrays.equals(dims, shape.dims);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dims);
    }

    /** Returns the extents in the form {@code [1, 3, 224, 224]}. */
    @Override
    public String toString() {
        return Arrays.toString(dims);
    }
}
