package ai.onnxruntime;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A description of a tensor: the type of its elements and its shape. */
public class TensorInfo implements ValueInfo {
    /** The most axes of a tensor that Java code can exchange. */
    public static final int MAX_DIMENSIONS = 8;

    /** The type in which elements are exchanged. */
    public final OnnxJavaType type;

    /** The type of the elements in the model. */
    public final OnnxTensorType onnxType;

    private final long[] shape;
    private final String[] names;

    /** Creates a description; extents that are not known are -1, axes without a name have an empty one. */
    TensorInfo(long[] shape, String[] names, OnnxJavaType type, OnnxTensorType onnxType) {
        this.shape = shape;
        this.names = names;
        this.type = type;
        this.onnxType = onnxType;
    }

    private TensorInfo(long[] shape, OnnxJavaType type, OnnxTensorType onnxType) {
        this(shape, unnamed(shape.length), type, onnxType);
    }

    private static String[] unnamed(int axes) {
        String[] names = new String[axes];
        Arrays.fill(names, "");
        return names;
    }

    static TensorInfo of(Tensor tensor) {
        OnnxTensorType type = OnnxTensorType.of(tensor.type());
        return new TensorInfo(tensor.shape().toArray(), OnnxJavaType.mapFromOnnxTensorType(type), type);
    }

    /** Returns the extents; those that are not known are -1. */
    public long[] getShape() {
        return shape.clone();
    }

    /** Returns the names of the axes; those without a name have an empty one. */
    public String[] getDimensionNames() {
        return names.clone();
    }

    public boolean isScalar() {
        return shape.length == 0;
    }

    /** Returns the product of the extents, which is negative if an extent is not known. */
    public long getNumElements() {
        long product = 1;
        for (long extent : shape) {
            product *= extent;
        }
        return product;
    }

    /** Returns nested arrays that can hold such a tensor; floats for 16-bit floats. */
    public Object makeCarrier() throws OrtException {
        if (shape.length > MAX_DIMENSIONS || Arrays.stream(shape).anyMatch(extent -> extent < 0)) {
            throw new OrtException("No array of Java has the shape " + Arrays.toString(shape));
        }
        return switch (type) {
            case FLOAT, FLOAT16, BFLOAT16 -> OrtUtil.newFloatArray(shape);
            case DOUBLE -> OrtUtil.newDoubleArray(shape);
            case INT8, UINT8 -> OrtUtil.newByteArray(shape);
            case INT16 -> OrtUtil.newShortArray(shape);
            case INT32 -> OrtUtil.newIntArray(shape);
            case INT64 -> OrtUtil.newLongArray(shape);
            case BOOL -> OrtUtil.newBooleanArray(shape);
            case STRING -> OrtUtil.newStringArray(shape);
            case UNKNOWN -> throw new OrtException("Java has no arrays of " + onnxType);
        };
    }

    /** Returns the description of a tensor with the elements of nested arrays, of a box or of a string. */
    public static TensorInfo constructFromJavaArray(Object obj) throws OrtException {
        Class<?> element = obj.getClass();
        if (!element.isArray()) {
            OnnxJavaType type = OnnxJavaType.mapFromClass(element);
            if (type == OnnxJavaType.UNKNOWN) {
                throw new OrtException("No tensor is made from a " + element.getName());
            }
            return new TensorInfo(new long[0], type, OnnxTensorType.mapFromJavaType(type));
        }
        int axes = 0;
        while (element.isArray()) {
            element = element.getComponentType();
            axes++;
        }
        if (axes > MAX_DIMENSIONS) {
            throw new OrtException("A tensor has at most " + MAX_DIMENSIONS + " axes, and the array has " + axes);
        }
        if (!element.isPrimitive() && element != String.class) {
            throw new OrtException("No tensor has elements of " + element.getName());
        }
        long[] shape = extents(obj, axes);
        OnnxJavaType type = OnnxJavaType.mapFromClass(element);
        return new TensorInfo(shape, type, OnnxTensorType.mapFromJavaType(type));
    }

    private static long[] extents(Object array, int axes) throws OrtException {
        long[] shape = new long[axes];
        Object at = array;
        for (int i = 0; i < axes; i++) {
            shape[i] = Array.getLength(at);
            if (shape[i] == 0) {
                throw new OrtException("The array is empty along axis " + i + "; make empty tensors from buffers");
            }
            at = Array.get(at, 0);
        }
        checkExtents(array, shape, 0);
        return shape;
    }

    private static void checkExtents(Object array, long[] shape, int axis) throws OrtException {
        if (Array.getLength(array) != shape[axis]) {
            throw new OrtException("The array is ragged: along axis " + axis + " it has " + shape[axis] + " and "
                    + Array.getLength(array) + " elements");
        }
        if (axis + 1 < shape.length) {
            for (Object row : (Object[]) array) {
                checkExtents(row, shape, axis + 1);
            }
        }
    }

    /**
     * Returns the description of a tensor over what remains of a buffer; throws if the shape needs more or fewer elements.
     * As in ONNX Runtime, what remains may also count bytes, whatever the buffer's elements are.
     */
    public static TensorInfo constructFromBuffer(Buffer buffer, long[] shape, OnnxJavaType type) throws OrtException {
        long needed = OrtUtil.elementCount(shape);
        long elements = buffer.remaining() / Math.max(1, type.size);
        boolean fits = elements == needed || !(buffer instanceof ByteBuffer) && buffer.remaining() == needed;
        if (!fits) {
            throw new OrtException("The shape " + Arrays.toString(shape) + " needs " + needed
                    + " elements, and the buffer has "
                    + (buffer instanceof ByteBuffer ? elements : buffer.remaining()));
        }
        return new TensorInfo(shape.clone(), type, OnnxTensorType.mapFromJavaType(type));
    }

    /** Returns the description of the dense form of a sparse tensor. */
    public static <T extends Buffer> TensorInfo constructFromSparseTensor(OnnxSparseTensor.SparseTensor<T> sparseTensor)
            throws OrtException {
        OnnxJavaType type = sparseTensor.getType();
        return new TensorInfo(sparseTensor.getDenseShape(), type, OnnxTensorType.mapFromJavaType(type));
    }

    @Override
    public String toString() {
        var text = new StringBuilder("TensorInfo(javaType=" + type + ",onnxType=" + onnxType + ",shape=")
                .append(Arrays.toString(shape));
        if (Arrays.stream(names).anyMatch(name -> !name.isEmpty())) {
            var list = new StringJoiner(",", ",dimNames=[", "]");
            for (String name : names) {
                list.add(name.isEmpty() ? "\"\"" : name);
            }
            text.append(list);
        }
        return text.append(")").toString();
    }

    /** The types of elements that ONNX Runtime numbers. */
    public enum OnnxTensorType {
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED(0),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8(1),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8(2),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16(3),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16(4),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32(5),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32(6),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64(7),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64(8),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16(9),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT(10),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE(11),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING(12),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL(13),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64(14),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128(15),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16(16),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN(17),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ(18),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2(19),
        ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ(20);

        private static final String PREFIX = "ONNX_TENSOR_ELEMENT_DATA_TYPE_";
        private static final OnnxTensorType[] BY_CODE = byCode();

        public final int value;

        OnnxTensorType(int value) {
            this.value = value;
        }

        private static OnnxTensorType[] byCode() {
            OnnxTensorType[] all = new OnnxTensorType[ElementType.values().length + 1];
            Arrays.fill(all, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED);
            for (ElementType element : ElementType.values()) {
                for (OnnxTensorType type : values()) {
                    if (type.name().equals(PREFIX + element.name())) {
                        all[element.code()] = type;
                    }
                }
            }
            return all;
        }

        /** Returns the type of the engine's elements, {@code UNDEFINED} if ONNX Runtime's API has none. */
        static OnnxTensorType of(@Nullable ElementType element) {
            return element == null ? ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED : BY_CODE[element.code()];
        }

        /** Returns the engine's type of elements of this type. */
        ElementType element() {
            return ElementType.valueOf(name().substring(PREFIX.length()));
        }

        /** Returns the type with this number, {@code UNDEFINED} if there is none. */
        public static OnnxTensorType mapFromInt(int input) {
            return input > 0 && input < values().length ? values()[input] : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
        }

        /** Returns the type of ONNX for a type of Java. */
        public static OnnxTensorType mapFromJavaType(OnnxJavaType type) {
            return type == OnnxJavaType.UNKNOWN
                    ? ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED
                    : valueOf(PREFIX + type.name());
        }
    }
}
