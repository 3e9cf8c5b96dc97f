package dev.millrace.providers.tests;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Inputs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A model that a seed decides: floats and quantised products over rows of eight numbers. Its numbers have so few bits that
 * every order of sums gives the same, so that answers can be compared to the bit, and roundings to integers never differ.
 */
final class RandomModel {
    private static final int WIDTH = 8;
    /** The bits of the fraction of a float. */
    private static final int EXACT = 23;

    private static final String[] OPERATORS = {
        "Add", "Add", "Sub", "Mul", "Max", "Relu", "Neg", "MatMul", "AddRow", "MulRow", "Integers", "Quantised"
    };

    private final Random random;
    private final GraphEditor editor;
    private final List<Number> numbers = new ArrayList<>();
    private int names;

    /**
     * A value with what its numbers need at most.
     *
     * @param whole the bits before the point
     * @param fraction the bits behind it
     */
    private record Number(Value value, int whole, int fraction) {
        int bits() {
            return whole + fraction;
        }
    }

    private RandomModel(long seed) {
        random = new Random(seed);
        editor = new GraphEditor(Graph.named("random " + seed));
    }

    /** Returns the bytes of the model of a seed. */
    static byte[] of(long seed) {
        var model = new RandomModel(seed);
        model.fill();
        return ModelBuilder.bytes(model.editor.graph());
    }

    /** Returns inputs of so many rows: multiples of a quarter between -4 and 4. */
    static Inputs inputs(int rows, long seed) {
        var random = new Random(seed);
        Inputs inputs = Inputs.empty();
        for (String name : List.of("x0", "x1")) {
            inputs.and(
                    name,
                    RandomTensors.reals(
                            ElementType.FLOAT, Shape.of(rows, WIDTH), () -> (random.nextInt(32) - 16) / 4.0));
        }
        return inputs;
    }

    private void fill() {
        for (String name : List.of("x0", "x1")) {
            numbers.add(new Number(editor.addInput(name, ModelBuilder.rows(ElementType.FLOAT, WIDTH)), 2, 2));
        }
        numbers.add(op("Add", 3, 2, numbers.get(0).value(), numbers.get(1).value()));
        int nodes = 4 + random.nextInt(12);
        for (int i = 0; i < nodes; i++) {
            numbers.add(next());
        }
        int outputs = 1 + random.nextInt(3);
        for (int i = 0; i < outputs; i++) {
            Value output = numbers.get(numbers.size() - 1 - i).value();
            editor.setType(output, ModelBuilder.rows(ElementType.FLOAT, WIDTH));
            editor.addOutput("y" + i, output);
        }
    }

    private Number next() {
        Number a = pick();
        Number b = pick();
        int fraction = Math.max(a.fraction, b.fraction);
        int whole = Math.max(a.whole, b.whole);
        Number result = switch (OPERATORS[random.nextInt(OPERATORS.length)]) {
            case "Add" -> op("Add", whole + 1, fraction, a.value, b.value);
            case "Sub" -> op("Sub", whole + 1, fraction, a.value, b.value);
            case "Max" -> op("Max", whole, fraction, a.value, b.value);
            case "Mul" ->
                isExact(a.bits() + b.bits())
                        ? op("Mul", a.whole + b.whole, a.fraction + b.fraction, a.value, b.value)
                        : quantised(a);
            case "Relu" -> op("Relu", a.whole, a.fraction, a.value);
            case "Neg" -> op("Neg", a.whole, a.fraction, a.value);
            case "MatMul" ->
                isExact(a.bits() + 6)
                        ? op("MatMul", a.whole + 4, a.fraction + 2, a.value, quarters(WIDTH, WIDTH))
                        : quantised(a);
            case "AddRow" -> op("Add", Math.max(a.whole, 1) + 1, Math.max(a.fraction, 2), a.value, quarters(WIDTH));
            case "MulRow" ->
                isExact(a.bits() + 3) ? op("Mul", a.whole + 1, a.fraction + 2, a.value, quarters(WIDTH)) : quantised(a);
            case "Integers" -> integers(a);
            default -> quantised(a);
        };
        return isExact(result.bits()) ? result : quantised(a);
    }

    private static boolean isExact(int bits) {
        return bits <= EXACT;
    }

    /** Picks a value, mostly a recent one. */
    private Number pick() {
        int back = random.nextInt(3) == 0 ? numbers.size() : Math.min(4, numbers.size());
        return numbers.get(numbers.size() - 1 - random.nextInt(back));
    }

    /** Adds a quantised product: bytes by bytes, summed, rounded to bytes. */
    private Number quantised(Number a) {
        Value steps = op(
                "QLinearMatMul",
                bytes(a),
                scalar(0.25f),
                zero(ElementType.UINT8, 128),
                weights(),
                scalar(0.03125f),
                zero(ElementType.INT8, 3),
                scalar(0.5f),
                zero(ElementType.UINT8, 120));
        return op("DequantizeLinear", 7, 1, steps, scalar(0.5f), zero(ElementType.UINT8, 120));
    }

    /** Adds a product of bytes whose sums become floats. */
    private Number integers(Number a) {
        Value sums = op("MatMulInteger", bytes(a), weights(), zero(ElementType.UINT8, 128));
        NodeSpec cast = NodeSpec.of(OpId.onnx("Cast"), ModelBuilder.OPSET, sums)
                .with("to", Attribute.of(ElementType.FLOAT.code()));
        return op("Mul", 8, 10, append(cast), scalar(1 / 1024f));
    }

    private Value bytes(Number a) {
        return op("QuantizeLinear", a.value, scalar(0.25f), zero(ElementType.UINT8, 128));
    }

    private Number op(String op, int whole, int fraction, Value... inputs) {
        return new Number(op(op, inputs), whole, fraction);
    }

    private Value op(String op, Value... inputs) {
        return append(NodeSpec.of(OpId.onnx(op), ModelBuilder.OPSET, inputs));
    }

    private Value append(NodeSpec spec) {
        return editor.append(spec, List.of("v" + names++)).requireOutput(0);
    }

    private Value constant(Tensor tensor) {
        return editor.addConstant("c" + names++, tensor);
    }

    private Value quarters(long... dims) {
        return constant(ModelBuilder.quarters(random, dims));
    }

    private Value weights() {
        return constant(RandomTensors.bits(random, ElementType.INT8, WIDTH, WIDTH));
    }

    private Value scalar(float value) {
        return constant(Tensor.scalar(value));
    }

    private Value zero(ElementType type, int value) {
        return constant(RandomTensors.whole(type, Shape.SCALAR, () -> value));
    }
}
