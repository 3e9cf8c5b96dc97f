package dev.millrace.session.operators;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** A generator of random tensors, the same in every run. */
final class Draw {
    /** The file in which Linux lists the processor's features. */
    private static final Path PROCESSOR = Path.of("/proc/cpuinfo");

    private static final boolean REFERENCE_SATURATES = referenceSaturates();

    private final Random random;

    Draw(long seed) {
        random = new Random(seed);
    }

    Tensor floats(long... dims) {
        return reals(ElementType.FLOAT, dims);
    }

    Tensor reals(ElementType type, long... dims) {
        return RandomTensors.reals(type, Shape.of(dims), random::nextGaussian);
    }

    /** Returns random positive values, none of them close to zero. */
    Tensor scales(long... dims) {
        return RandomTensors.reals(ElementType.FLOAT, Shape.of(dims), () -> 0.01 + random.nextDouble() / 20);
    }

    /** Returns random integers over the whole range of a type. */
    Tensor whole(ElementType type, long... dims) {
        return below(type, Long.MAX_VALUE, dims);
    }

    /**
     * Returns random integers from 0 to less than {@code limit}, or over the whole range of the type if that is less.
     */
    Tensor below(ElementType type, long limit, long... dims) {
        boolean all = limit == Long.MAX_VALUE;
        return RandomTensors.whole(type, Shape.of(dims), () -> all ? random.nextLong() : random.nextLong(limit));
    }

    /**
     * Returns random signed bytes with which ONNX Runtime multiplies exactly. On processors without an instruction for
     * it, ONNX Runtime's kernel saturates the sum of two products, and only seven bits are safe.
     */
    Tensor weights(long... dims) {
        return REFERENCE_SATURATES
                ? RandomTensors.whole(ElementType.INT8, Shape.of(dims), () -> random.nextLong(128) - 64)
                : whole(ElementType.INT8, dims);
    }

    private static boolean referenceSaturates() {
        try {
            return Files.isReadable(PROCESSOR) && !Files.readString(PROCESSOR).contains("vnni");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a scalar. */
    static Tensor one(ElementType type, double value) {
        return filled(type, value);
    }

    static Tensor zeros(ElementType type, long... dims) {
        return Tensor.allocate(type, Shape.of(dims));
    }

    static Tensor filled(ElementType type, double value, long... dims) {
        return RandomTensors.reals(type, Shape.of(dims), () -> value);
    }

    static Tensor scale(double value) {
        return one(ElementType.FLOAT, value);
    }
}
