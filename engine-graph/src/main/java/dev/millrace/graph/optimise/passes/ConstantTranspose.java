package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Permutes the axes of a constant. */
final class ConstantTranspose {
    /**
     * The side of the squares in which elements of four bytes are transposed on the heap, which takes a tenth of the
     * time.
     */
    private static final int SIDE = 256;

    private final MemorySegment source;
    private final MemorySegment target;
    private final long[] dims;
    private final long[] strides;
    private final int inner;

    private ConstantTranspose(MemorySegment source, Tensor result, long[] strides) {
        this.source = source;
        this.target = result.segment();
        this.dims = result.shape().toArray();
        this.strides = strides;
        this.inner = strides.length - 1;
    }

    /**
     * Returns {@code tensor} with axis {@code perm[i]} as axis {@code i} of the result; null for packed and text types.
     */
    static @Nullable Tensor of(Tensor tensor, int[] perm) {
        ElementType type = tensor.type();
        if (type.bits() < 8) {
            return null;
        }
        int rank = perm.length;
        long[] from = tensor.shape().strides();
        long[] dims = new long[rank];
        long[] strides = new long[rank];
        int contiguous = rank - 1;
        for (int i = 0; i < rank; i++) {
            dims[i] = tensor.shape().dim(perm[i]);
            strides[i] = from[perm[i]];
            contiguous = perm[i] == rank - 1 ? i : contiguous;
        }
        Tensor result = Tensor.allocate(type, Shape.of(dims));
        if (tensor.elements() > 0) {
            var turned = new ConstantTranspose(tensor.segment(), result, strides);
            int width = type.bits() / 8;
            if (contiguous == rank - 1) {
                turned.copyRows(width);
            } else if (width == Integer.BYTES) {
                turned.copySquares(contiguous);
            } else {
                turned.copyElements(width);
            }
        }
        return result;
    }

    /** Copies whole rows, for permutations that keep the last axis last. */
    private void copyRows(int width) {
        long bytes = inner < 0 ? width : dims[inner] * width;
        long[] index = new long[dims.length];
        for (long written = 0; written < target.byteSize(); written += bytes) {
            MemorySegment.copy(source, place(index) * width, target, written, bytes);
            advance(index, inner - 1);
        }
    }

    private void copyElements(int width) {
        long[] index = new long[dims.length];
        for (long written = 0; written < target.byteSize(); written += width) {
            MemorySegment.copy(source, place(index) * width, target, written, width);
            advance(index, inner);
        }
    }

    /**
     * Transposes square blocks between the source's last axis, which is {@code contiguous} in the result, and the
     * result's last.
     */
    private void copySquares(int contiguous) {
        int width = (int) Math.min(SIDE, dims[contiguous]);
        int height = (int) Math.min(SIDE, dims[inner]);
        int[] square = new int[width * height];
        int[] line = new int[height];
        long[] targetStrides = Shape.of(dims).strides();
        long[] index = new long[dims.length];
        for (long done = 0; done < target.byteSize(); ) {
            int columns = (int) Math.min(width, dims[contiguous] - index[contiguous]);
            int rows = (int) Math.min(height, dims[inner] - index[inner]);
            long from = place(index);
            long to = 0;
            for (int i = 0; i < index.length; i++) {
                to += index[i] * targetStrides[i];
            }
            for (int row = 0; row < rows; row++) {
                long at = (from + row * strides[inner]) * Integer.BYTES;
                MemorySegment.copy(source, ByteLayouts.INT, at, square, row * columns, columns);
            }
            for (int column = 0; column < columns; column++) {
                gather(square, column, columns, line, rows);
                long at = (to + column * targetStrides[contiguous]) * Integer.BYTES;
                MemorySegment.copy(line, 0, target, ByteLayouts.INT, at, rows);
            }
            done += (long) rows * columns * Integer.BYTES;
            advance(index, inner, contiguous);
        }
    }

    private static void gather(int[] elements, int first, int step, int[] line, int count) {
        for (int i = 0, at = first; i < count; i++, at += step) {
            line[i] = elements[at];
        }
    }

    private long place(long[] index) {
        long at = 0;
        for (int i = 0; i < index.length; i++) {
            at += index[i] * strides[i];
        }
        return at;
    }

    private void advance(long[] index, int last) {
        for (int i = last; i >= 0; i--) {
            if (++index[i] < dims[i]) {
                return;
            }
            index[i] = 0;
        }
    }

    /** Advances to the next square: two axes advance by a side, the others by 1. */
    private void advance(long[] index, int one, int other) {
        for (int i = inner; i >= 0; i--) {
            index[i] += i == one || i == other ? SIDE : 1;
            if (index[i] < dims[i]) {
                return;
            }
            index[i] = 0;
        }
    }
}
