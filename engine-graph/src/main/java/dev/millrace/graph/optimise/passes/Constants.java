package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Layouts;
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

    /** Constants of so many elements are turned on the heap, where that takes a tenth of the time. */
    private static final long MOST_ON_HEAP = 1 << 24;

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

    /** {@code tensor} with axis {@code i} of the result being its axis {@code perm[i]}; null for packed and text types. */
    static @Nullable Tensor transpose(Tensor tensor, int[] perm) {
        ElementType type = tensor.type();
        if (type.bits() < 8) {
            return null;
        }
        int rank = perm.length;
        long[] from = tensor.shape().strides();
        long[] dims = new long[rank];
        long[] strides = new long[rank];
        for (int i = 0; i < rank; i++) {
            dims[i] = tensor.shape().dim(perm[i]);
            strides[i] = from[perm[i]];
        }
        Tensor result = Tensor.allocate(type, Shape.of(dims));
        MemorySegment source = tensor.segment();
        MemorySegment target = result.segment();
        long width = type.bits() / 8;
        long inner = rank == 0 ? 1 : dims[rank - 1];
        long innerStep = rank == 0 ? 0 : strides[rank - 1] * width;
        int[] elements =
                width == Integer.BYTES && tensor.elements() <= MOST_ON_HEAP ? source.toArray(Layouts.INT) : null;
        int[] line = new int[elements == null ? 0 : (int) inner];
        long[] index = new long[rank];
        long written = 0;
        for (long row = 0; row < (inner == 0 ? 0 : tensor.elements() / inner); row++) {
            long at = 0;
            for (int i = 0; i < rank - 1; i++) {
                at += index[i] * strides[i];
            }
            if (elements != null) {
                gather(elements, (int) at, (int) (innerStep / width), line);
                MemorySegment.copy(line, 0, target, Layouts.INT, written, line.length);
                written += inner * width;
            } else {
                at *= width;
                for (long i = 0; i < inner; i++, at += innerStep, written += width) {
                    MemorySegment.copy(source, at, target, written, width);
                }
            }
            advance(index, dims, rank - 2);
        }
        return result;
    }

    private static void gather(int[] elements, int first, int step, int[] line) {
        int at = first;
        for (int i = 0; i < line.length; i++, at += step) {
            line[i] = elements[at];
        }
    }

    private static void advance(long[] index, long[] dims, int last) {
        for (int i = last; i >= 0; i--) {
            if (++index[i] < dims[i]) {
                return;
            }
            index[i] = 0;
        }
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
        MemorySegment.copy(data, Layouts.BYTE, 0, beginning, 0, beginning.length);
        return hash * 31 + Arrays.hashCode(beginning);
    }
}
