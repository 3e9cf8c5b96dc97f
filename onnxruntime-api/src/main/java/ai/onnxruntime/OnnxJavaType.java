package ai.onnxruntime;

import ai.onnxruntime.TensorInfo.OnnxTensorType;

/** The types of Java in which elements of tensors are exchanged. */
public enum OnnxJavaType {
    FLOAT(1, float.class, 4),
    DOUBLE(2, double.class, 8),
    INT8(3, byte.class, 1),
    INT16(4, short.class, 2),
    INT32(5, int.class, 4),
    INT64(6, long.class, 8),
    BOOL(7, boolean.class, 1),
    STRING(8, String.class, 4),
    UINT8(9, byte.class, 1),
    FLOAT16(10, short.class, 2),
    BFLOAT16(11, short.class, 2),
    UNKNOWN(0, Object.class, 0);

    public final int value;
    public final Class<?> clazz;

    /** The number of bytes of an element. */
    public final int size;

    OnnxJavaType(int value, Class<?> clazz, int size) {
        this.value = value;
        this.clazz = clazz;
        this.size = size;
    }

    /** Returns the type with this number, {@code UNKNOWN} if there is none. */
    public static OnnxJavaType mapFromInt(int input) {
        for (OnnxJavaType type : values()) {
            if (type.value == input) {
                return type;
            }
        }
        return UNKNOWN;
    }

    /** Returns the type in which elements of a type of ONNX are exchanged: unsigned ones in the signed type of their size. */
    public static OnnxJavaType mapFromOnnxTensorType(OnnxTensorType onnxType) {
        return switch (onnxType) {
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8 -> UINT8;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8 -> INT8;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16 -> INT16;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32 -> INT32;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64 -> INT64;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 -> FLOAT16;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16 -> BFLOAT16;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT -> FLOAT;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE -> DOUBLE;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING -> STRING;
            case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL -> BOOL;
            default -> UNKNOWN;
        };
    }

    /** Returns the type of a primitive class, of its box or of String; {@code UNKNOWN} for any other class. */
    public static OnnxJavaType mapFromClass(Class<?> clazz) {
        return switch (clazz.getName()) {
            case "float", "java.lang.Float" -> FLOAT;
            case "double", "java.lang.Double" -> DOUBLE;
            case "byte", "java.lang.Byte" -> INT8;
            case "short", "java.lang.Short" -> INT16;
            case "int", "java.lang.Integer" -> INT32;
            case "long", "java.lang.Long" -> INT64;
            case "boolean", "java.lang.Boolean" -> BOOL;
            case "java.lang.String" -> STRING;
            default -> UNKNOWN;
        };
    }
}
