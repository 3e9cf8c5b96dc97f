package dev.millrace.bench.kernels;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Collectors;

/** Operands of cases, the same in each process. */
public final class Operands {
    private static final long ALIGNMENT = 64;

    private final Arena arena;
    private final Random random = new Random(1);

    public Operands(Arena arena) {
        this.arena = arena;
    }

    /** Zeros. */
    public Tensor zeros(ElementType type, long... dims) {
        Shape shape = Shape.of(dims);
        return Tensor.wrap(type, shape, arena.allocate(Math.max(1, type.bytes(shape.elements())), ALIGNMENT));
    }

    /** Floats from -1/2 to 1/2. */
    public Tensor floats(long... dims) {
        return floatsBetween(-0.5f, 0.5f, dims);
    }

    /** Floats of a range. */
    public Tensor floatsBetween(float least, float most, long... dims) {
        Tensor tensor = zeros(ElementType.FLOAT, dims);
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, least + (most - least) * random.nextFloat());
        }
        return tensor;
    }

    /** Floats of a normal distribution around zero. */
    public Tensor normalFloats(float deviation, long... dims) {
        Tensor tensor = zeros(ElementType.FLOAT, dims);
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (deviation * random.nextGaussian()));
        }
        return tensor;
    }

    /** Bytes of a range, for any type of one byte. */
    public Tensor bytes(ElementType type, int least, int most, long... dims) {
        Tensor tensor = zeros(type, dims);
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.segment().set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt(least, most + 1));
        }
        return tensor;
    }

    /** Bytes from 0 to 100, or 0 and 1, the first of each number of any type; floats from -1/2 to 1/2. */
    public Tensor anyOf(ElementType type, long... dims) {
        if (type == ElementType.FLOAT) {
            return floats(dims);
        }
        Tensor tensor = zeros(type, dims);
        int bound = type == ElementType.BOOL ? 2 : 101;
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.segment().set(ValueLayout.JAVA_BYTE, i * type.bits() / Byte.SIZE, (byte) random.nextInt(bound));
        }
        return tensor;
    }

    /** Dimensions for a reader. */
    public static String text(long... dims) {
        return Arrays.stream(dims).mapToObj(Long::toString).collect(Collectors.joining("x"));
    }
}
