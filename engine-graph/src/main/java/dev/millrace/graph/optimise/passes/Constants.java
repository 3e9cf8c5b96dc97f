package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reading and making the tensors of constants. */
final class Constants {
    /** No tensor above this is searched for equal elements. */
    private static final long UNIFORM_LIMIT = 1 << 16;

    /** So much of a tensor's beginning tells it from most others. */
    private static final long HASHED_BYTES = 256;

    private Constants() {}

    /** The number in a real or integer constant of one element; NaN where {@code value} is anything else. */
    static double scalar(@Nullable Value value) {
        Tensor tensor = value == null ? null : value.constant();
        if (tensor == null
                || tensor.elements() != 1
                || !(tensor.type().isFloating() || tensor.type().isInteger())) {
            return Double.NaN;
        }
        return Elements.getDouble(tensor.type(), tensor.segment(), 0);
    }

    /** Whether {@code value} is a constant of one element that is {@code expected}, as well as its type can say it. */
    static boolean isScalar(@Nullable Value value, double expected) {
        ElementType type = value == null ? null : value.elementType();
        return type != null && isNear(scalar(value), expected, type);
    }

    /** Whether two numbers differ by no more than a rounding or two of {@code type}. */
    static boolean isNear(double actual, double expected, @Nullable ElementType type) {
        return actual == expected
                || type != null && Math.abs(actual - expected) <= roundings(type) * Math.abs(expected);
    }

    private static double roundings(ElementType type) {
        return switch (type) {
            case FLOAT -> 1e-6;
            case DOUBLE -> 1e-14;
            case FLOAT16 -> 1e-3;
            case BFLOAT16 -> 8e-3;
            default -> 0;
        };
    }

    /** Whether every element of a numeric constant is {@code expected}. */
    static boolean isUniform(Tensor tensor, double expected) {
        ElementType type = tensor.type();
        if (!(type.isFloating() || type.isInteger()) || tensor.elements() > UNIFORM_LIMIT) {
            return false;
        }
        for (long i = 0; i < tensor.elements(); i++) {
            if (Elements.getDouble(type, tensor.segment(), i) != expected) {
                return false;
            }
        }
        return true;
    }

    /** The integers of a constant; null where {@code value} is anything else. */
    static long @Nullable [] longs(@Nullable Value value) {
        Tensor tensor = value == null ? null : value.constant();
        return tensor == null || !tensor.type().isInteger() ? null : tensor.longs();
    }

    static Tensor of(ElementType type, double[] values, long... dims) {
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        Elements.write(type, tensor.segment(), 0, values, 0, values.length);
        return tensor;
    }

    static Tensor scalarOf(ElementType type, double value) {
        return of(type, new double[] {value});
    }

    /** Whether both hold the same bits or strings under the same type and shape. */
    static boolean equal(Tensor a, Tensor b) {
        if (a == b) {
            return true;
        }
        if (a.type() != b.type() || !a.shape().equals(b.shape())) {
            return false;
        }
        return a.type() == ElementType.STRING
                ? Arrays.equals(a.strings(), b.strings())
                : a.segment().mismatch(b.segment()) == -1;
    }

    /** A hash by which {@link #equal} tensors are equal; of a large tensor it takes the beginning alone. */
    static int hash(Tensor tensor) {
        int hash = tensor.type().hashCode() * 31 + tensor.shape().hashCode();
        if (tensor.type() == ElementType.STRING) {
            return hash * 31 + Arrays.hashCode(tensor.strings());
        }
        // as an array: element by element a segment takes fifty times as long while the JVM has not compiled anything
        MemorySegment data = tensor.segment();
        byte[] beginning = new byte[(int) Math.min(data.byteSize(), HASHED_BYTES)];
        MemorySegment.copy(data, ByteLayouts.BYTE, 0, beginning, 0, beginning.length);
        return hash * 31 + Arrays.hashCode(beginning);
    }
}
