package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.TensorNotes;
import dev.millrace.graph.proto.SparseTensorProto;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code SparseTensorProto}, and fills dense tensors from it. The memory that the dense tensors of one file may
 * take together grows with the size of their sparse forms, so that a small file cannot ask for much memory.
 */
final class SparseReader {
    private static final long FREE_BYTES = 64L << 20;
    private static final long DENSE_BYTES_PER_SPARSE_BYTE = 256;

    private final TensorReader tensors;
    private long allowance = FREE_BYTES;

    SparseReader(TensorReader tensors) {
        this.tensors = tensors;
    }

    /** A sparse tensor with the notes of its values, which also give it its name, and of its indices. */
    record Named(Attribute.Sparse sparse, TensorNotes ofValues, TensorNotes ofIndices) {}

    Named read(WireReader in) {
        TensorReader.Named values = null;
        TensorReader.@Nullable Named indices = null;
        var dims = new ArrayList<Long>();
        while (in.next()) {
            switch (in.field()) {
                case SparseTensorProto.VALUES_FIELD_NUMBER -> values = tensors.read(in.message());
                case SparseTensorProto.INDICES_FIELD_NUMBER -> indices = tensors.read(in.message());
                case SparseTensorProto.DIMS_FIELD_NUMBER -> in.varints(dims::add);
                default -> in.skip();
            }
        }
        if (values == null || indices == null) {
            throw EngineException.invalidGraph("a sparse tensor lacks its values or its indices");
        }
        var sparse = new Attribute.Sparse(values.tensor(), indices.tensor(), dims);
        charge(sparse);
        return new Named(sparse, values.notes(), indices.notes());
    }

    /**
     * Subtracts the dense form of {@code sparse} from the file's allowance and throws if it exceeds it, whether it is
     * made here or later.
     */
    private void charge(Attribute.Sparse sparse) {
        ElementType type = sparse.values().type();
        long held = bytes(type, sparse.values().shape());
        long dense = bytes(type, TensorReader.shape(sparse.dims()));
        allowance += DENSE_BYTES_PER_SPARSE_BYTE * held;
        if (dense > allowance) {
            throw EngineException.invalidGraph("its dense form takes " + dense + " bytes for " + held
                    + " bytes of values; store it as a dense tensor");
        }
        allowance -= dense;
    }

    private static long bytes(ElementType type, Shape shape) {
        return TensorReader.bytes(type == ElementType.STRING ? ElementType.INT64 : type, shape);
    }

    TensorReader.Named readDense(WireReader in) {
        Named named = read(in);
        try {
            return new TensorReader.Named(named.ofValues.name(), dense(named.sparse), named.ofValues.remarks());
        } catch (EngineException e) {
            throw e.at("sparse tensor '" + named.ofValues.name() + "'");
        }
    }

    private Tensor dense(Attribute.Sparse sparse) {
        Tensor values = sparse.values();
        ElementType type = values.type();
        if (type == ElementType.STRING || type.isPacked()) {
            throw EngineException.notImplemented("sparse tensors of type " + type + " are not read");
        }
        Shape shape = TensorReader.shape(sparse.dims());
        long[] positions = positions(sparse.indices(), shape, values.elements());
        Tensor dense = Tensor.allocate(type, shape);
        int width = type.bits() / 8;
        for (int i = 0; i < positions.length; i++) {
            MemorySegment.copy(values.segment(), (long) i * width, dense.segment(), positions[i] * width, width);
        }
        return dense;
    }

    /**
     * Returns positions in the flattened tensor. Indices are such positions, or one row of coordinates for each value.
     */
    private static long[] positions(Tensor indices, Shape shape, long count) {
        boolean coordinates = indices.shape().rank() == 2 && indices.shape().dim(1) == shape.rank();
        boolean linear = indices.shape().rank() == 1;
        if (indices.type() != ElementType.INT64
                || !(linear || coordinates)
                || indices.shape().dim(0) != count) {
            throw EngineException.invalidGraph(
                    "its indices are " + indices + ", which does not fit " + count + " values of shape " + shape);
        }
        long[] extents = indices.longs();
        long[] positions = new long[Math.toIntExact(count)];
        int width = linear ? 1 : shape.rank();
        for (int i = 0; i < positions.length; i++) {
            long position = 0;
            for (int axis = 0; axis < width; axis++) {
                long extent = linear ? shape.elements() : shape.dim(axis);
                long index = extents[i * width + axis];
                if (index < 0 || index >= extent) {
                    throw EngineException.invalidGraph("index " + index + " lies outside shape " + shape);
                }
                position = position * extent + index;
            }
            positions[i] = position;
        }
        return positions;
    }
}
