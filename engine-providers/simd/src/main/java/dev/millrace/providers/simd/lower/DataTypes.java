package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.DataType;
import org.jspecify.annotations.Nullable;

/** Element types as kernels name them. */
public final class DataTypes {
    private DataTypes() {}

    /** Whether a type is one of floats of 16 bits. */
    public static boolean isHalf(ElementType type) {
        return type == ElementType.FLOAT16 || type == ElementType.BFLOAT16;
    }

    /** The type that expressions read, or null where they cannot. */
    public static @Nullable DataType find(ElementType type) {
        return switch (type) {
            case FLOAT -> DataType.F32;
            case FLOAT16 -> DataType.F16;
            case BFLOAT16 -> DataType.BF16;
            case INT32 -> DataType.S32;
            case INT16 -> DataType.S16;
            case UINT16 -> DataType.U16;
            case INT8 -> DataType.S8;
            case UINT8 -> DataType.U8;
            case BOOL -> DataType.BOOL;
            default -> null;
        };
    }

    public static DataType of(ElementType type) {
        DataType found = find(type);
        if (found == null) {
            throw new IllegalArgumentException("expressions do not read elements of type " + type);
        }
        return found;
    }

    /** How casts and reductions name a type; null where they cannot read it. */
    public static @Nullable NumberType number(ElementType type) {
        return switch (type) {
            case FLOAT -> NumberType.F32;
            case FLOAT16 -> NumberType.F16;
            case BFLOAT16 -> NumberType.BF16;
            case DOUBLE -> NumberType.F64;
            case INT4 -> NumberType.S4;
            case INT8 -> NumberType.S8;
            case INT16 -> NumberType.S16;
            case INT32 -> NumberType.S32;
            case INT64 -> NumberType.S64;
            case UINT4 -> NumberType.U4;
            case UINT8 -> NumberType.U8;
            case UINT16 -> NumberType.U16;
            case UINT32 -> NumberType.U32;
            case UINT64 -> NumberType.U64;
            case BOOL -> NumberType.BOOL;
            default -> null;
        };
    }
}
