package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Lowers Gradient: the derivative of the sum of a value's elements by the values that it is computed from. The chain
 * rule is applied backwards through the graph's nodes (reverse-mode automatic differentiation).
 */
final class GradientLowering {
    private final Composer c;
    private final Map<Value, Value> gradients = new HashMap<>();

    private GradientLowering(Composer c) {
        this.c = c;
    }

    static void write(Composer c) {
        List<String> names = c.attributes().texts("xs");
        c.refuse(names == null || names.isEmpty(), "nothing to differentiate by");
        new GradientLowering(c)
                .write(names == null ? List.of() : names, c.attributes().text("y"));
    }

    private void write(List<String> names, String y) {
        Map<String, Value> values = named(c.node().graph());
        Value result = values.get(y);
        if (result == null) {
            throw c.refuse("'" + y + "' is not computed before it");
        }
        for (int i = 0; i < names.size(); i++) {
            c.refuse(values.get(names.get(i)) != c.find(i), "a gradient at another place than '" + names.get(i) + "'");
        }
        gradients.put(result, c.op(OpName.EXPAND, one(result), c.op(OpName.SHAPE, result)));
        for (Node node : before(result)) {
            Value gradient = gradients.get(node.requireOutput(0));
            if (gradient != null) {
                follow(node, gradient);
            }
        }
        for (int i = 0; i < names.size(); i++) {
            Value gradient = gradients.get(c.input(i));
            c.result(i, gradient == null ? c.op(OpName.SUB, c.input(i), c.input(i)) : gradient);
        }
    }

    /** Returns the values that exist before the Gradient node, by name. */
    private Map<String, Value> named(Graph graph) {
        var values = new HashMap<String, Value>();
        graph.inputs().forEach(value -> values.put(value.name(), value));
        graph.constants().forEach(value -> values.put(value.name(), value));
        for (Node node : graph.nodes()) {
            if (node == c.node()) {
                break;
            }
            for (Value value : node.outputs()) {
                if (value != null) {
                    values.put(value.name(), value);
                }
            }
        }
        return values;
    }

    /** Returns the nodes that compute a value, in reverse topological order. */
    private List<Node> before(Value result) {
        Set<Node> needed = new LinkedHashSet<>();
        var waiting = new ArrayList<Value>(List.of(result));
        while (!waiting.isEmpty()) {
            Node producer = waiting.removeLast().producer();
            if (producer != null && needed.add(producer)) {
                producer.inputs().stream().filter(Objects::nonNull).forEach(waiting::add);
            }
        }
        var ordered = new ArrayList<Node>();
        for (Node node : c.node().graph().nodes()) {
            if (needed.contains(node)) {
                ordered.addFirst(node);
            }
        }
        return ordered;
    }

    private void follow(Node node, Value g) {
        Value a = node.requireInput(0);
        Value y = node.requireOutput(0);
        c.refuse(!node.op().domain().equals(OpId.ONNX), "the operator " + node.op() + " on the way");
        switch (node.op().name()) {
            case OpName.IDENTITY -> add(a, g);
            case OpName.NEG -> add(a, c.op(OpName.NEG, g));
            case OpName.ADD -> both(node, g, g);
            case OpName.SUB -> both(node, g, c.op(OpName.NEG, g));
            case OpName.MUL -> both(node, c.op(OpName.MUL, g, node.requireInput(1)), c.op(OpName.MUL, g, a));
            case OpName.DIV -> {
                Value share = c.op(OpName.DIV, g, node.requireInput(1));
                both(node, share, c.op(OpName.NEG, c.op(OpName.MUL, share, y)));
            }
            case OpName.MATMUL -> product(a, node.requireInput(1), g);
            case "Exp" -> add(a, c.op(OpName.MUL, g, y));
            case "Log" -> add(a, c.op(OpName.DIV, g, a));
            case OpName.SQRT -> add(a, c.op(OpName.DIV, g, c.op(OpName.ADD, y, y)));
            case OpName.SIGMOID -> add(a, c.op(OpName.MUL, g, c.op(OpName.MUL, y, c.op(OpName.SUB, one(y), y))));
            case OpName.TANH -> add(a, c.op(OpName.MUL, g, c.op(OpName.SUB, one(y), c.op(OpName.MUL, y, y))));
            case String name when name.equals(OpId.RELU.name()) -> add(a, c.op(OpName.MUL, g, c.op("Sign", y)));
            default -> throw c.refuse("the operator " + node.op() + " on the way");
        }
    }

    private void product(Value a, Value b, Value g) {
        c.refuse(rank(a) != 2 || rank(b) != 2, "products of other than matrices on the way");
        add(a, c.op(OpName.MATMUL, g, c.transpose(b, 1, 0)));
        add(b, c.op(OpName.MATMUL, c.transpose(a, 1, 0), g));
    }

    private Value one(Value like) {
        return c.op(OpName.CAST_LIKE, c.scalar(ElementType.FLOAT, 1), like);
    }

    private static int rank(Value value) {
        SymbolicShape shape = value.shape();
        return shape == null ? -1 : shape.rank();
    }

    private void both(Node node, Value ofA, Value ofB) {
        Value y = node.requireOutput(0);
        add(node.requireInput(0), folded(ofA, y, node.requireInput(0)));
        add(node.requireInput(1), folded(ofB, y, node.requireInput(1)));
    }

    private void add(Value value, Value gradient) {
        gradients.merge(value, gradient, (before, more) -> c.op(OpName.ADD, before, more));
    }

    /** Sums the gradient over the axes along which the operand was broadcast. */
    private Value folded(Value gradient, Value result, Value operand) {
        SymbolicShape to = result.shape();
        SymbolicShape from = operand.shape();
        long[] known = to == null || from == null ? null : broadcast(to, from);
        if (known != null && known.length == 0) {
            return gradient;
        }
        Value shape = c.op(OpName.SHAPE, operand);
        Value axes = known == null ? broadcast(c.op(OpName.SHAPE, result), shape) : c.longs(known);
        NodeSpec sum = c.onnx(OpName.REDUCE_SUM, gradient, axes).with("noop_with_empty_axes", Attribute.of(1));
        return c.op(OpName.RESHAPE, c.add(sum), shape);
    }

    /** Returns the axes along which an operand was broadcast; null where they are known only in a run. */
    private static long @Nullable [] broadcast(SymbolicShape to, SymbolicShape from) {
        int lead = to.rank() - from.rank();
        boolean isKnown = IntStream.range(0, from.rank())
                .allMatch(i -> from.dim(i).is(1)
                        || from.dim(i) != Dim.UNKNOWN && from.dim(i).equals(to.dim(lead + i)));
        return isKnown
                ? IntStream.range(0, to.rank())
                        .filter(i -> i < lead || !from.dim(i - lead).equals(to.dim(i)))
                        .asLongStream()
                        .toArray()
                : null;
    }

    /** Writes the computation of the axes along which an operand was broadcast, from the shapes in a run. */
    private Value broadcast(Value to, Value from) {
        Value lead = c.op(OpName.SUB, c.op(OpName.SHAPE, to), c.op(OpName.SHAPE, from));
        Value whole = c.concat(0, c.op(OpName.EXPAND, c.longs(1), lead), from);
        Value differs = c.op(OpName.NOT, c.op(OpName.EQUAL, whole, to));
        return c.op(OpName.SQUEEZE, c.op(OpName.NON_ZERO, differs), c.longs(0));
    }
}
