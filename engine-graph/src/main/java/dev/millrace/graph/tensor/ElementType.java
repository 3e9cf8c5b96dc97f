package dev.millrace.graph.tensor;

import static dev.millrace.graph.tensor.ElementType.Kind.BOOLEAN;
import static dev.millrace.graph.tensor.ElementType.Kind.COMPLEX;
import static dev.millrace.graph.tensor.ElementType.Kind.FLOATING;
import static dev.millrace.graph.tensor.ElementType.Kind.SIGNED;
import static dev.millrace.graph.tensor.ElementType.Kind.TEXT;
import static dev.millrace.graph.tensor.ElementType.Kind.UNSIGNED;

import dev.millrace.graph.EngineException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The element types of ONNX, with ONNX's numbers. Types below eight bits are packed, the first element lowest. */
public enum ElementType {
    FLOAT(1, 32, FLOATING),
    UINT8(2, 8, UNSIGNED),
    INT8(3, 8, SIGNED),
    UINT16(4, 16, UNSIGNED),
    INT16(5, 16, SIGNED),
    INT32(6, 32, SIGNED),
    INT64(7, 64, SIGNED),
    STRING(8, 0, TEXT),
    BOOL(9, 8, BOOLEAN),
    FLOAT16(10, 16, FLOATING),
    DOUBLE(11, 64, FLOATING),
    UINT32(12, 32, UNSIGNED),
    UINT64(13, 64, UNSIGNED),
    COMPLEX64(14, 64, COMPLEX),
    COMPLEX128(15, 128, COMPLEX),
    BFLOAT16(16, 16, FLOATING),
    FLOAT8E4M3FN(17, 8, FLOATING),
    FLOAT8E4M3FNUZ(18, 8, FLOATING),
    FLOAT8E5M2(19, 8, FLOATING),
    FLOAT8E5M2FNUZ(20, 8, FLOATING),
    UINT4(21, 4, UNSIGNED),
    INT4(22, 4, SIGNED),
    FLOAT4E2M1(23, 4, FLOATING),
    FLOAT8E8M0(24, 8, FLOATING),
    UINT2(25, 2, UNSIGNED),
    INT2(26, 2, SIGNED);

    /** The arithmetic family of a type. */
    public enum Kind {
        FLOATING,
        SIGNED,
        UNSIGNED,
        BOOLEAN,
        COMPLEX,
        TEXT
    }

    private static final ElementType[] BY_CODE = new ElementType[27];

    static {
        for (ElementType type : values()) {
            BY_CODE[type.code] = type;
        }
    }

    private final int code;
    private final int bits;
    private final Kind kind;
    private final String onnxName;

    ElementType(int code, int bits, Kind kind) {
        this.code = code;
        this.bits = bits;
        this.kind = kind;
        this.onnxName = name().toLowerCase(Locale.ROOT);
    }

    /** The number that ONNX files carry. */
    public int code() {
        return code;
    }

    /** The number of bits of an element; 0 for strings, which have no fixed size. */
    public int bits() {
        return bits;
    }

    public Kind kind() {
        return kind;
    }

    /** The name used in ONNX type strings, such as {@code float} or {@code float8e4m3fn}. */
    public String onnxName() {
        return onnxName;
    }

    public boolean isFloating() {
        return kind == FLOATING;
    }

    /** Whether this is an integer type; booleans are not. */
    public boolean isInteger() {
        return kind == SIGNED || kind == UNSIGNED;
    }

    /** Whether several elements share a byte. */
    public boolean isPacked() {
        return bits == 4 || bits == 2;
    }

    /**
     * Returns the bytes that {@code elements} of this type take; strings take none. Throws INVALID_ARGUMENT where the
     * product overflows.
     */
    public long bytes(long elements) {
        int unit = bits >= 8 ? bits / 8 : bits;
        long product = elements * unit;
        if (Math.multiplyHigh(elements, unit) != product >> 63) {
            throw EngineException.invalidArgument("there is no memory for " + elements + " elements of type " + this);
        }
        return bits >= 8 ? product : Math.ceilDiv(product, 8L);
    }

    /** Returns the type with ONNX's number {@code code}, or null where there is none. */
    public static @Nullable ElementType ofCode(int code) {
        return code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** Returns the type with ONNX's number {@code code}; throws where there is none. */
    public static ElementType requireCode(long code) {
        ElementType type = code > 0 && code < BY_CODE.length ? BY_CODE[(int) code] : null;
        if (type == null) {
            throw EngineException.invalidGraph("unknown element type " + code + "; ONNX numbers them 1 to 26");
        }
        return type;
    }

    /** Returns the type that ONNX type strings call {@code name}; throws where there is none. */
    public static ElementType ofName(String name) {
        for (ElementType type : values()) {
            if (type.onnxName.equals(name)) {
                return type;
            }
        }
        throw EngineException.invalidArgument("unknown element type '" + name + "'");
    }

    @Override
    public String toString() {
        return onnxName;
    }

    /** Returns the refusal of a method of {@link Tensor} that does not read this type; it names the one that does. */
    EngineException isNotReadBy(String method) {
        return EngineException.invalidArgument(method + " does not fit a tensor of " + this + "; use " + reader());
    }

    private String reader() {
        return switch (kind) {
            case FLOATING -> this == DOUBLE ? "doubles()" : "floats()";
            case SIGNED, UNSIGNED -> "longs()";
            case BOOLEAN -> "booleans()";
            case TEXT -> "strings()";
            case COMPLEX -> "segment()";
        };
    }
}
