package dev.millrace.kernels.gather;

import java.util.Arrays;

/**
 * The shape of indices and data of the same rank, where each index selects an element: it replaces its own position
 * along one axis. All are dense. A row is along the last dimension of the indices.
 */
public final class ElementShape {
    private final long[] dims;
    private final int axis;
    private final long[] strides;
    private final long count;
    private final long elements;
    private final long limit;

    /**
     * Creates a shape.
     *
     * @param dims extents of the indices
     * @param dataDims extents of the data; not less than those of the indices, except along the axis
     */
    public ElementShape(long[] dims, long[] dataDims, int axis) {
        if (dims.length != dataDims.length || axis < 0 || axis >= dims.length) {
            throw new IllegalArgumentException("indices of " + dims.length + " dimensions choose along axis " + axis
                    + " of data of " + dataDims.length);
        }
        for (int i = 0; i < dims.length; i++) {
            if (i != axis && dims[i] > dataDims[i]) {
                throw new IllegalArgumentException(
                        "the indices have " + dims[i] + " in dimension " + i + ", but the data " + dataDims[i]);
            }
        }
        this.dims = dims.clone();
        this.axis = axis;
        limit = dataDims[axis];
        count = RowNumbers.product("the indices have", dims, Long.MAX_VALUE);
        elements = RowNumbers.product("indices choose among", dataDims, Integer.MAX_VALUE);
        strides = new long[dims.length];
        long stride = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            strides[i] = stride;
            stride *= dataDims[i];
        }
    }

    /** The number of indices. */
    long count() {
        return count;
    }

    /** The number of elements of the data. */
    long elements() {
        return elements;
    }

    /** The upper bound of indices. */
    long limit() {
        return limit;
    }

    /** The number of indices in a row. */
    long rowLength() {
        return dims[dims.length - 1];
    }

    long rows() {
        return count == 0 ? 0 : count / rowLength();
    }

    /** Elements of the data from one value of an index to the next. */
    long scale() {
        return strides[axis];
    }

    /** Elements of the data from one index of a row to the next. */
    long step() {
        return axis == dims.length - 1 ? 0 : 1;
    }

    /** The number of consecutive rows whose starts are equally distant in the data. */
    long rowsOfPlane() {
        return dims.length < 2 ? 1 : dims[dims.length - 2];
    }

    /** The distance of these starts, in elements. */
    long rowDistance() {
        return dims.length < 2 || axis == dims.length - 2 ? 0 : strides[dims.length - 2];
    }

    /** The start of a row in the data, in elements, for indices of 0. */
    long rowStart(long row) {
        long start = 0;
        long rest = row;
        for (int i = dims.length - 2; i >= 0; i--) {
            start += i == axis ? 0 : rest % dims[i] * strides[i];
            rest /= dims[i];
        }
        return start;
    }

    void check(IndexList indices) {
        indices.check();
        if (indices.count() != count) {
            throw new IllegalArgumentException(
                    "there are " + indices.count() + " indices, not those of " + Arrays.toString(dims));
        }
    }
}
