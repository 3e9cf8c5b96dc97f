package dev.millrace.session.operators;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
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
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        for (long i = 0; i < tensor.elements(); i++) {
            Elements.setDouble(type, tensor.segment(), i, random.nextGaussian());
        }
        return tensor;
    }

    /** Positive ones, none of them small. */
    Tensor scales(long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
        for (long i = 0; i < tensor.elements(); i++) {
            Elements.setDouble(ElementType.FLOAT, tensor.segment(), i, 0.01 + random.nextDouble() / 20);
        }
        return tensor;
    }

    /** All values that an integer type has. */
    Tensor whole(ElementType type, long... dims) {
        return below(type, Long.MAX_VALUE, dims);
    }

    /** Whole numbers from 0 to less than {@code limit}; all that the type has where that is less. */
    Tensor below(ElementType type, long limit, long... dims) {
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        for (long i = 0; i < tensor.elements(); i++) {
            long value = limit == Long.MAX_VALUE ? random.nextLong() : random.nextLong(limit);
            Elements.setLong(type, tensor.segment(), i, value);
        }
        return tensor;
    }

    /** A number without axes. */
    static Tensor one(ElementType type, double value) {
        return filled(type, value);
    }

    static Tensor zeros(ElementType type, long... dims) {
        return Tensor.allocate(type, Shape.of(dims));
    }

    static Tensor filled(ElementType type, double value, long... dims) {
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        for (long i = 0; i < tensor.elements(); i++) {
            Elements.setDouble(type, tensor.segment(), i, value);
        }
        return tensor;
    }

    static Tensor scale(double value) {
        return one(ElementType.FLOAT, value);
    }
}
