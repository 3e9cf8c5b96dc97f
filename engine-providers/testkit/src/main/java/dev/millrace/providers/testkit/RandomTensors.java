package dev.millrace.providers.testkit;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Tensors of random numbers, the same for generators in the same state. */
public final class RandomTensors {
    private RandomTensors() {}

    /** Floats of the standard normal distribution. */
    public static Tensor normal(RandomGenerator random, long... dims) {
        return reals(ElementType.FLOAT, Shape.of(dims), random::nextGaussian);
    }

    /** Floats of a range, whose upper end is not in it. */
    public static Tensor uniform(RandomGenerator random, float least, float below, long... dims) {
        return reals(ElementType.FLOAT, Shape.of(dims), () -> least + (below - least) * random.nextFloat());
    }

    /** Any bits, for types that have no padding and no text. */
    public static Tensor bits(RandomGenerator random, ElementType type, long... dims) {
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        byte[] bytes = new byte[Math.toIntExact(tensor.segment().byteSize())];
        random.nextBytes(bytes);
        tensor.segment().copyFrom(MemorySegment.ofArray(bytes));
        return tensor;
    }

    /** Real numbers from a source, one after the other. */
    public static Tensor reals(ElementType type, Shape shape, DoubleSupplier numbers) {
        Tensor tensor = Tensor.allocate(type, shape);
        for (long i = 0; i < tensor.elements(); i++) {
            Elements.setDouble(type, tensor.segment(), i, numbers.getAsDouble());
        }
        return tensor;
    }

    /** Whole numbers from a source, one after the other, as many bits of each as the type has. */
    public static Tensor whole(ElementType type, Shape shape, LongSupplier numbers) {
        Tensor tensor = Tensor.allocate(type, shape);
        for (long i = 0; i < tensor.elements(); i++) {
            Elements.setLong(type, tensor.segment(), i, numbers.getAsLong());
        }
        return tensor;
    }
}
