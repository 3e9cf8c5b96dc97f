package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Nodes;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** The building blocks of tests of quantised graphs. */
abstract class QuantisedCases {
    private static final int OPSET = 21;

    final Random random = new Random();

    int upTo(int most) {
        return 1 + random.nextInt(most);
    }

    Tensor bytes(ElementType type, long... dims) {
        return RandomTensors.bits(random, type, dims);
    }

    ElementType anyBytes() {
        return random.nextBoolean() ? ElementType.INT8 : ElementType.UINT8;
    }

    Tensor scales(int count) {
        long[] dims = count == 1 ? new long[0] : new long[] {count};
        return RandomTensors.uniform(random, 0.001f, 0.021f, dims);
    }

    static Nodes nodes(GraphEditor editor) {
        return new Nodes(editor, OPSET);
    }

    static Value constant(GraphEditor editor, Tensor tensor) {
        return nodes(editor).constant(tensor);
    }

    static Value op(GraphEditor editor, String name, Attributes attributes, @Nullable Value... inputs) {
        return nodes(editor).add(name, attributes, inputs);
    }

    static Value op(GraphEditor editor, String name, @Nullable Value... inputs) {
        return op(editor, name, Attributes.NONE, inputs);
    }

    static Attributes ints(String name, long... numbers) {
        return Attributes.of(name, numbers.length == 1 ? Attribute.of(numbers[0]) : Attribute.of(numbers));
    }

    /** A product of floats that are quantised dynamically and weights that are quantised already. */
    static Value scaled(
            GraphEditor editor,
            String name,
            Attributes attributes,
            Value x,
            Tensor weights,
            Tensor zero,
            Tensor scale) {
        List<Value> all = nodes(editor).addSplit(3, "DynamicQuantizeLinear", Attributes.NONE, x);
        Value w = constant(editor, weights);
        Value sums = op(editor, name, attributes, all.get(0), w, all.get(2), constant(editor, zero));
        Value floats = op(editor, "Cast", ints("to", ElementType.FLOAT.code()), sums);
        return op(editor, "Mul", floats, op(editor, "Mul", all.get(1), constant(editor, scale)));
    }
}
