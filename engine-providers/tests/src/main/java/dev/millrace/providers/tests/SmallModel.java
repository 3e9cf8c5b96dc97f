package dev.millrace.providers.tests;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Inputs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A model that needs no file. It has one input, {@code x}, of the shape [batch, width], and one output of that shape.
 *
 * @param input the type of its input
 * @param operators the operators of its nodes
 */
record SmallModel(String name, ElementType input, int width, Set<String> operators, byte[] bytes) {
    private static final int WIDTH = 16;

    /** All models: floats, 8-bit integers with and without scales, elementwise operators, moves of data. */
    static List<SmallModel> all() {
        var all = new ArrayList<SmallModel>();
        all.add(perceptron(3, WIDTH, 1));
        all.add(integers());
        all.add(quantised(2, WIDTH, 3));
        all.add(elementwise());
        all.add(softmax());
        all.add(moved());
        return all;
    }

    /** y = relu(x W + b) of so many layers. */
    static SmallModel perceptron(int layers, int width, long seed) {
        var model = new ModelBuilder("perceptron", seed, ElementType.FLOAT, width);
        for (int i = 0; i < layers; i++) {
            model.apply("MatMul", model.floats(width, width));
            model.apply("Add", model.floats(width));
            model.apply("Relu");
        }
        return model.build();
    }

    /** A product of 8-bit integers, with the scale of its sums apart. */
    private static SmallModel integers() {
        var model = new ModelBuilder("integers", 2, ElementType.UINT8, WIDTH);
        model.apply("MatMulInteger", model.bytes(WIDTH, WIDTH), model.zero(ElementType.UINT8, 7));
        model.cast(ElementType.FLOAT);
        model.apply("Mul", model.scalar(0.25f));
        model.apply("Add", model.floats(WIDTH));
        return model.build();
    }

    /** Layers of quantised products between floats. */
    static SmallModel quantised(int layers, int width, long seed) {
        var model = new ModelBuilder("quantised", seed, ElementType.FLOAT, width);
        for (int i = 0; i < layers; i++) {
            model.apply("QuantizeLinear", model.scalar(0.25f), model.zero(ElementType.UINT8, 128));
            model.quantisedProduct(width);
            model.apply("DequantizeLinear", model.scalar(1f), model.zero(ElementType.UINT8, 100));
            model.apply("Relu");
        }
        return model.build();
    }

    private static SmallModel elementwise() {
        var model = new ModelBuilder("elementwise", 4, ElementType.FLOAT, WIDTH);
        model.apply("Mul", model.floats(WIDTH));
        model.apply("Sub", model.scalar(0.5f));
        model.apply("Max", model.floats(WIDTH));
        model.apply("Add", model.input());
        model.apply("Neg");
        model.apply("Relu");
        return model.build();
    }

    private static SmallModel softmax() {
        var model = new ModelBuilder("softmax", 5, ElementType.FLOAT, WIDTH);
        model.apply("Softmax");
        model.apply("Sqrt");
        return model.build();
    }

    private static SmallModel moved() {
        var model = new ModelBuilder("moved", 6, ElementType.FLOAT, WIDTH);
        model.apply("Transpose");
        model.apply("Relu");
        model.apply("Transpose");
        model.apply("Add", model.floats(WIDTH));
        return model.build();
    }

    /** Inputs of so many rows, which a seed decides: small multiples of an eighth, or any bytes. */
    Inputs inputs(int rows, long seed) {
        var random = new Random(seed);
        Tensor x = input == ElementType.UINT8
                ? RandomTensors.bits(random, input, rows, width)
                : RandomTensors.reals(input, Shape.of(rows, width), () -> (random.nextInt(64) - 32) / 8.0);
        return Inputs.of("x", x);
    }

    @Override
    public String toString() {
        return name;
    }
}
