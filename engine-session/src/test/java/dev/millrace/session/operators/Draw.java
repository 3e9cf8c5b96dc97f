package dev.millrace.session.operators;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Random;

/** Tensors by chance, the same in every run. */
final class Draw {
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

    /** Positive ones, none of them small. */
    Tensor scales(long... dims) {
        return RandomTensors.reals(ElementType.FLOAT, Shape.of(dims), () -> 0.01 + random.nextDouble() / 20);
    }

    /** All values that an integer type has. */
    Tensor whole(ElementType type, long... dims) {
        return below(type, Long.MAX_VALUE, dims);
    }

    /** Whole numbers from 0 to less than {@code limit}; all that the type has where that is less. */
    Tensor below(ElementType type, long limit, long... dims) {
        boolean all = limit == Long.MAX_VALUE;
        return RandomTensors.whole(type, Shape.of(dims), () -> all ? random.nextLong() : random.nextLong(limit));
    }

    /** A number without axes. */
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
