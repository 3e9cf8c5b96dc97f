package dev.millrace.providers.simd.program;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A view of a value's elements in a storage: at strides, or in blocks of channels (NCHWc).
 *
 * @param offset of the first element, in elements
 * @param strides of each axis, in elements; none where elements lie in blocks
 * @param block the number of channels in a block, or 0 where elements lie at strides
 */
public record View(Storage storage, ElementType type, Shape shape, long offset, long[] strides, int block) {
    private static final long[] NO_STRIDES = {};

    /** Creates a view of elements in the order of their indices, from an offset on. */
    public static View dense(Storage storage, ElementType type, Shape shape, long offset) {
        return new View(storage, type, shape, offset, shape.strides(), 0);
    }

    public static View dense(Storage storage, ElementType type, Shape shape) {
        return dense(storage, type, shape, 0);
    }

    /** Creates a view of float images in blocks of channels. */
    public static View blocked(Storage storage, Shape shape, long offset, int block) {
        return new View(storage, ElementType.FLOAT, shape, offset, NO_STRIDES, block);
    }

    /** The number of elements of images in blocks of channels, with the padding of the last block. */
    public static long blockedElements(Shape shape, int block) {
        return shape.dim(0) * Math.ceilDiv(shape.dim(1), block) * block * shape.elements(2, shape.rank());
    }

    public boolean isBlocked() {
        return block > 0;
    }

    public long elements() {
        return shape.elements();
    }

    public boolean isDense() {
        return !isBlocked() && matches(shape.strides());
    }

    private boolean matches(long[] dense) {
        if (shape.elements() == 0) {
            return true;
        }
        for (int i = 0; i < dense.length; i++) {
            if (strides[i] != dense[i] && shape.dim(i) != 1) {
                return false;
            }
        }
        return true;
    }

    /** Whether the view is dense or blocked, and covers its storage. */
    public boolean isWhole() {
        return offset == 0 && (isBlocked() || isDense()) && bytes() == storage.bytes();
    }

    /** The number of bytes from the first element to the end of the last. */
    public long bytes() {
        if (isBlocked()) {
            return type.bytes(blockedElements(shape, block));
        }
        if (shape.elements() == 0) {
            return 0;
        }
        long last = 0;
        for (int i = 0; i < strides.length; i++) {
            last += (shape.dim(i) - 1) * strides[i];
        }
        return type.bytes(last + 1);
    }

    /** The offset of the first element in the storage, in bytes. */
    public long byteOffset() {
        return type.bytes(offset);
    }

    /** Returns the same elements with another shape, or null where strides cannot express it. */
    public @Nullable View reshaped(Shape wanted) {
        if (isBlocked()) {
            return null;
        }
        if (isDense()) {
            return dense(storage, type, wanted, offset);
        }
        long[] found = Strides.reshaped(shape, strides, wanted);
        return found == null ? null : new View(storage, type, wanted, offset, found, 0);
    }

    /** Returns the view with its axes in another order. */
    public View transposed(int[] order) {
        long[] dims = new long[order.length];
        long[] moved = new long[order.length];
        for (int i = 0; i < order.length; i++) {
            dims[i] = shape.dim(order[i]);
            moved[i] = strides[order[i]];
        }
        return new View(storage, type, Shape.of(dims), offset, moved, 0);
    }

    /** Returns the images with the axis of channels, which is the second one, behind the others. */
    public View channelsLast() {
        int rank = shape.rank();
        int[] order = new int[rank];
        for (int i = 1; i < rank; i++) {
            order[i] = i == rank - 1 ? 1 : i + 1;
        }
        return transposed(order);
    }

    /** Returns the elements from a start in each axis on, at distances of {@code steps}. */
    public View sliced(long[] starts, long[] steps, Shape wanted) {
        long from = offset;
        long[] wider = strides.clone();
        for (int i = 0; i < wider.length; i++) {
            from += wanted.elements() == 0 ? 0 : starts[i] * strides[i];
            wider[i] *= steps[i];
        }
        return new View(storage, type, wanted, from, wider, 0);
    }

    /** Returns the view repeated (stride 0) along the axes that it lacks or has one element of. */
    public View broadcast(Shape wanted) {
        long[] repeated = new long[wanted.rank()];
        int more = wanted.rank() - shape.rank();
        for (int i = 0; i < shape.rank(); i++) {
            repeated[more + i] = shape.dim(i) == 1 ? 0 : strides[i];
        }
        return new View(storage, type, wanted, offset, repeated, 0);
    }

    @Override
    public String toString() {
        String where = isBlocked() ? "blocks of " + block : isDense() ? "dense" : "strides " + Arrays.toString(strides);
        return type + " " + shape + " " + where;
    }
}
