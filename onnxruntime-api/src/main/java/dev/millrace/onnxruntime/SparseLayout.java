package dev.millrace.onnxruntime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The places of a sparse tensor's elements in its dense form, in row-major order. */
public final class SparseLayout {
    private SparseLayout() {}

    /** Returns the places of elements whose coordinates, or whose places, are given. */
    public static long[] places(long[] indices, long[] indicesShape, long[] denseShape) {
        if (indicesShape.length == 1) {
            return indices;
        }
        long[] strides = Shape.of(denseShape).strides();
        long[] places = new long[(int) indicesShape[0]];
        for (int i = 0; i < places.length; i++) {
            for (int axis = 0; axis < strides.length; axis++) {
                long index = indices[i * strides.length + axis];
                if (index < 0 || index >= denseShape[axis]) {
                    throw EngineException.invalidArgument(
                            "index " + index + " is outside of the shape " + Arrays.toString(denseShape));
                }
                places[i] += index * strides[axis];
            }
        }
        return places;
    }

    /** Returns the places of a matrix's elements whose rows are compressed. */
    public static long[] placesOfRows(long[] rowStarts, long[] columns, long width) {
        long[] places = new long[columns.length];
        for (int row = 0; row + 1 < rowStarts.length; row++) {
            for (long i = Math.max(0, rowStarts[row]); i < Math.min(columns.length, rowStarts[row + 1]); i++) {
                places[(int) i] = row * width + columns[(int) i];
            }
        }
        return places;
    }

    /** Returns a dense tensor with these elements at these places, and zeros elsewhere. */
    public static Tensor scatter(Tensor elements, long[] places, Shape shape) {
        Tensor dense = Tensor.allocate(elements.type(), shape);
        long size = elements.type().bytes(1);
        for (int i = 0; i < places.length; i++) {
            if (places[i] < 0 || places[i] >= shape.elements()) {
                throw EngineException.invalidArgument("place " + places[i] + " is outside of the shape " + shape);
            }
            MemorySegment.copy(elements.segment(), i * size, dense.segment(), places[i] * size, size);
        }
        return dense;
    }
}
