package ai.onnxruntime;

import ai.onnxruntime.TensorInfo.OnnxTensorType;
import ai.onnxruntime.platform.Fp16Conversions;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.onnxruntime.Buffers;
import dev.millrace.onnxruntime.SparseLayout;
import java.nio.Buffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A sparse tensor. The engine reads its dense form, which is made when this is created. Closing twice has no effect. */
public final class OnnxSparseTensor extends OnnxTensorLike {
    private final SparseTensor<? extends Buffer> content;
    /** The dense form; null for a block-sparse tensor, which no operator takes. */
    private final @Nullable Tensor dense;

    private OnnxSparseTensor(TensorInfo info, SparseTensor<? extends Buffer> content, @Nullable Tensor dense) {
        super(info);
        this.content = content;
        this.dense = dense;
    }

    /** Creates a value with a copy of a sparse tensor. */
    public static <T extends Buffer> OnnxSparseTensor createSparseTensor(OrtEnvironment env, SparseTensor<T> tensor)
            throws OrtException {
        Objects.requireNonNull(env, "env");
        return new OnnxSparseTensor(
                TensorInfo.constructFromSparseTensor(tensor), tensor.copy(), Errors.translated(tensor::dense));
    }

    @Override
    Tensor dense() {
        if (dense == null) {
            throw new IllegalStateException("No operator takes a block-sparse tensor; make a COOTensor");
        }
        return dense;
    }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_SPARSETENSOR;
    }

    /** Returns a copy. */
    @Override
    public SparseTensor<? extends Buffer> getValue() throws OrtException {
        return open().copy();
    }

    private SparseTensor<? extends Buffer> open() {
        checkClosed();
        return content;
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    public SparseTensorType getSparseTensorType() {
        return content.getSparsityType();
    }

    /** Returns a copy of the indices; the outer ones of a CSR tensor. */
    public Buffer getIndicesBuffer() {
        return open().copy().getIndices();
    }

    /** Returns a copy of the inner indices; throws if this is no CSR tensor. */
    public LongBuffer getInnerIndicesBuffer() {
        return Buffers.heapCopy(compressed().getInnerIndices());
    }

    private CSRCTensor compressed() {
        if (open() instanceof CSRCTensor csr) {
            return csr;
        }
        throw new IllegalStateException("A " + getSparseTensorType() + " tensor has no inner indices");
    }

    /** Returns a copy of the values; 16-bit floats become floats. */
    public Buffer getValuesBuffer() {
        Buffer values = open().copy().getValues();
        if (!(values instanceof ShortBuffer shorts)) {
            return values;
        }
        return switch (info.type) {
            case FLOAT16 -> Fp16Conversions.convertFp16BufferToFloatBuffer(shorts);
            case BFLOAT16 -> Fp16Conversions.convertBf16BufferToFloatBuffer(shorts);
            default -> shorts;
        };
    }

    public long[] getIndicesShape() {
        return open().getIndicesShape();
    }

    /** Returns the shape of the inner indices; throws if this is no CSR tensor. */
    public long[] getInnerIndicesShape() {
        return compressed().getInnerIndicesShape();
    }

    public long[] getValuesShape() {
        return open().getValuesShape();
    }

    /** The layouts of sparse tensors. */
    public enum SparseTensorType {
        UNDEFINED(0),
        COO(1),
        CSRC(2),
        BLOCK_SPARSE(4);

        public final int value;

        SparseTensorType(int value) {
            this.value = value;
        }

        /** Returns the layout with this number, {@code UNDEFINED} if there is none. */
        public static SparseTensorType mapFromInt(int input) {
            return Arrays.stream(values())
                    .filter(type -> type.value == input)
                    .findFirst()
                    .orElse(UNDEFINED);
        }
    }

    /** The indices and values of a sparse tensor, in the caller's buffers. */
    public abstract static class SparseTensor<T extends Buffer> {
        private final T indices;
        private final long[] indicesShape;
        private final Buffer values;
        private final long[] valuesShape;
        private final long[] denseShape;
        private final OnnxJavaType type;
        private final long numNonZero;

        SparseTensor(
                T indices,
                long[] indicesShape,
                Buffer values,
                long[] valuesShape,
                long[] denseShape,
                OnnxJavaType type,
                long numNonZero) {
            if (type == OnnxJavaType.STRING || type == OnnxJavaType.UNKNOWN) {
                throw new IllegalArgumentException("A sparse tensor has numbers, not " + type);
            }
            if (values.remaining() != numNonZero) {
                throw new IllegalArgumentException("There are " + values.remaining() + " values for " + numNonZero
                        + " elements that are not zero");
            }
            if (indices.remaining() != OrtUtil.elementCount(indicesShape)) {
                throw new IllegalArgumentException("There are " + indices.remaining()
                        + " indices, which do not fill the shape " + Arrays.toString(indicesShape));
            }
            this.indices = indices;
            this.indicesShape = indicesShape.clone();
            this.values = values;
            this.valuesShape = valuesShape.clone();
            this.denseShape = denseShape.clone();
            this.type = type;
            this.numNonZero = numNonZero;
        }

        public long[] getDenseShape() {
            return denseShape.clone();
        }

        public OnnxJavaType getType() {
            return type;
        }

        public long getNumNonZeroElements() {
            return numNonZero;
        }

        public T getIndices() {
            return indices;
        }

        public Buffer getValues() {
            return values;
        }

        public long[] getValuesShape() {
            return valuesShape.clone();
        }

        public long[] getIndicesShape() {
            return indicesShape.clone();
        }

        public abstract SparseTensorType getSparsityType();

        public abstract OnnxJavaType getIndicesType();

        /** Returns a tensor with copies of the buffers. */
        abstract SparseTensor<T> copy();

        /** Returns the dense form; null if no operator takes it. */
        abstract @Nullable Tensor dense();

        /** Returns the dense form of elements at these places. */
        final Tensor scattered(long[] places) {
            var element = OnnxTensorType.mapFromJavaType(type).element();
            Tensor packed = Buffers.copied(values, element, Shape.of(numNonZero));
            return SparseLayout.scatter(packed, places, Shape.of(denseShape));
        }
    }

    /** A sparse tensor with the coordinates of each element, or with its place in row-major order. */
    public static final class COOTensor extends SparseTensor<LongBuffer> {
        public COOTensor(
                LongBuffer indices,
                long[] indicesShape,
                Buffer values,
                long[] denseShape,
                OnnxJavaType type,
                long numNonZero) {
            super(indices, indicesShape, values, new long[] {numNonZero}, denseShape, type, numNonZero);
            boolean isFlat = indicesShape.length == 1;
            boolean hasCoordinates = indicesShape.length == 2 && indicesShape[1] == denseShape.length;
            if (!isFlat && !hasCoordinates || indicesShape[0] != numNonZero) {
                throw new IllegalArgumentException("Indices have the shape [" + numNonZero + "] or [" + numNonZero
                        + ", " + denseShape.length + "], not " + Arrays.toString(indicesShape));
            }
        }

        @Override
        public OnnxJavaType getIndicesType() {
            return OnnxJavaType.INT64;
        }

        @Override
        public SparseTensorType getSparsityType() {
            return SparseTensorType.COO;
        }

        @Override
        COOTensor copy() {
            return new COOTensor(
                    Buffers.heapCopy(getIndices()),
                    getIndicesShape(),
                    Buffers.heapCopy(getValues()),
                    getDenseShape(),
                    getType(),
                    getNumNonZeroElements());
        }

        @Override
        Tensor dense() {
            return scattered(SparseLayout.places(Buffers.array(getIndices()), getIndicesShape(), getDenseShape()));
        }
    }

    /** A sparse matrix with compressed rows. */
    public static final class CSRCTensor extends SparseTensor<LongBuffer> {
        private final LongBuffer innerIndices;

        /**
         * Creates a matrix.
         *
         * @param outerIndices the place of each row's first element, and the number of elements
         * @param innerIndices the column of each element
         */
        public CSRCTensor(
                LongBuffer outerIndices,
                LongBuffer innerIndices,
                Buffer values,
                long[] denseShape,
                OnnxJavaType type,
                long numNonZero) {
            super(
                    outerIndices,
                    new long[] {outerIndices.remaining()},
                    values,
                    new long[] {numNonZero},
                    denseShape,
                    type,
                    numNonZero);
            if (denseShape.length != 2
                    || outerIndices.remaining() != denseShape[0] + 1
                    || innerIndices.remaining() != numNonZero) {
                throw new IllegalArgumentException("A matrix of the shape " + Arrays.toString(denseShape)
                        + " has an outer index for each row and one more, and " + numNonZero + " inner ones, not "
                        + outerIndices.remaining() + " and " + innerIndices.remaining());
            }
            this.innerIndices = innerIndices;
        }

        public long[] getInnerIndicesShape() {
            return new long[] {getNumNonZeroElements()};
        }

        public LongBuffer getInnerIndices() {
            return innerIndices;
        }

        @Override
        public OnnxJavaType getIndicesType() {
            return OnnxJavaType.INT64;
        }

        @Override
        public SparseTensorType getSparsityType() {
            return SparseTensorType.CSRC;
        }

        @Override
        CSRCTensor copy() {
            return new CSRCTensor(
                    Buffers.heapCopy(getIndices()),
                    Buffers.heapCopy(innerIndices),
                    Buffers.heapCopy(getValues()),
                    getDenseShape(),
                    getType(),
                    getNumNonZeroElements());
        }

        @Override
        Tensor dense() {
            return scattered(SparseLayout.placesOfRows(
                    Buffers.array(getIndices()), Buffers.array(innerIndices), getDenseShape()[1]));
        }
    }

    /** A sparse matrix of dense blocks. */
    public static final class BlockSparseTensor extends SparseTensor<IntBuffer> {
        public BlockSparseTensor(
                IntBuffer indices,
                long[] indicesShape,
                Buffer values,
                long[] valuesShape,
                long[] denseShape,
                OnnxJavaType type,
                long numNonZero) {
            super(indices, indicesShape, values, valuesShape, denseShape, type, numNonZero);
        }

        @Override
        public OnnxJavaType getIndicesType() {
            return OnnxJavaType.INT32;
        }

        @Override
        public SparseTensorType getSparsityType() {
            return SparseTensorType.BLOCK_SPARSE;
        }

        @Override
        BlockSparseTensor copy() {
            return new BlockSparseTensor(
                    Buffers.heapCopy(getIndices()),
                    getIndicesShape(),
                    Buffers.heapCopy(getValues()),
                    getValuesShape(),
                    getDenseShape(),
                    getType(),
                    getNumNonZeroElements());
        }

        @Override
        @Nullable
        Tensor dense() {
            return null;
        }
    }
}
