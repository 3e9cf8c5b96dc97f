package dev.millrace.bench.agree;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A graph of real numbers in the making: values with their shapes, nodes, and what is left to chance. */
final class Chain {
    private static final int OPSET = 18;

    private final Chance chance;
    private final ElementType real;
    private final GraphEditor editor = new GraphEditor(Graph.named("chain"));
    private final Map<Value, Shape> shapes = new HashMap<>();
    private final List<Value> values = new ArrayList<>();
    private final Inputs inputs = Inputs.empty();
    private final List<String> nodes = new ArrayList<>();
    private int constants;

    /** @param real the type of all numbers; they are floats in any case, so that chains of both types ask the same */
    Chain(Chance chance, ElementType real) {
        this.chance = chance;
        this.real = real;
    }

    ElementType real() {
        return real;
    }

    Chance chance() {
        return chance;
    }

    Value input(Shape shape) {
        String name = "in" + values.size();
        Tensor tensor = ofReals(chance.reals(ElementType.FLOAT, shape, -2, 2));
        inputs.and(name, tensor);
        return known(editor.addInput(name, ValueType.tensor(real, shape)), shape);
    }

    private Value known(Value value, Shape shape) {
        shapes.put(value, shape);
        values.add(value);
        return value;
    }

    Shape shape(Value value) {
        return Objects.requireNonNull(shapes.get(value));
    }

    /** Mostly the newest value, so that chains are long. */
    Value any() {
        return chance.often() ? values.getLast() : chance.one(values);
    }

    Value constant(Tensor tensor) {
        constants++;
        return editor.addConstant("c" + constants, ofReals(tensor));
    }

    private Tensor ofReals(Tensor tensor) {
        if (tensor.type() != ElementType.FLOAT || real == ElementType.FLOAT) {
            return tensor;
        }
        Tensor wide = Tensor.allocate(real, tensor.shape());
        double[] numbers = tensor.doubles();
        Elements.write(real, wide.segment(), 0, numbers, 0, numbers.length);
        return wide;
    }

    Value weights(long... dims) {
        double size = 1 / Math.sqrt(Math.max(1, dims[0]));
        return constant(chance.reals(ElementType.FLOAT, Shape.of(dims), -2 * size, 2 * size));
    }

    Value number(double value) {
        return constant(Tensor.copyOf(new float[] {(float) value}));
    }

    /** A node whose result is not chosen again by itself. */
    Value inner(String op, Attributes attributes, Value... operands) {
        String name = "v" + nodes.size();
        nodes.add(attributes.asMap().isEmpty() ? op : op + attributes);
        return editor.append(
                        NodeSpec.of(OpId.onnx(op), OPSET, operands)
                                .with(attributes)
                                .named("n" + nodes.size()),
                        List.of(name))
                .requireOutput(0);
    }

    Value inner(String op, Value... operands) {
        return inner(op, Attributes.NONE, operands);
    }

    /** A node whose result others may read. */
    Value add(Shape shape, String op, Attributes attributes, Value... operands) {
        return known(inner(op, attributes, operands), shape);
    }

    Value add(Shape shape, String op, Value... operands) {
        return add(shape, op, Attributes.NONE, operands);
    }

    static Attributes ints(String name, long... values) {
        return Attributes.of(name, Attribute.of(values));
    }

    Inputs inputs() {
        return inputs;
    }

    /** The last value is an output, and some of the others are. */
    byte[] bytes() {
        for (Value value : values) {
            boolean made = value.producer() != null;
            if (made && (value == values.getLast() || chance.once(6))) {
                editor.addOutput(value.name(), value);
            }
        }
        var header = new Model.Header(9, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of(OpId.ONNX, OPSET), Map.of(), Map.of(), editor.graph(), null));
    }

    @Override
    public String toString() {
        return String.join(" ", nodes);
    }
}
