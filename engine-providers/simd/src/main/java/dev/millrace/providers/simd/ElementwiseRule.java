package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an elementwise node is as an expression.
 *
 * @param operands the values that it reads, constants that became part of its steps left out
 * @param isCheap whether a plain loop does it about as fast, so that alone it is not worth compiling
 */
record ElementwiseRule(List<Value> operands, Emitter emitter, boolean isCheap) {
    ElementwiseRule {
        operands = List.copyOf(operands);
    }

    /** The rule for a node whose element types are all float; null where there is none. */
    static @Nullable ElementwiseRule of(Node node) {
        for (Value output : node.outputs()) {
            if (output == null || output.elementType() != ElementType.FLOAT) {
                return null;
            }
        }
        if (node.outputs().size() != 1) {
            return null;
        }
        ElementwiseRule rule = switch (node.op().domain()) {
            case OpId.ONNX -> onnx(node);
            case OpId.MICROSOFT -> microsoft(node);
            default -> null;
        };
        return rule != null && rule.operands.stream().allMatch(value -> value.elementType() == ElementType.FLOAT)
                ? rule
                : null;
    }

    private static @Nullable ElementwiseRule onnx(Node node) {
        Attributes attributes = node.attributes();
        return switch (node.op().name()) {
            case "Add" -> binary(node, 7, Op.ADD, Op.ADD_CONSTANT, Op.ADD_CONSTANT);
            case "Sub" -> binary(node, 7, Op.SUBTRACT, Op.ADD_CONSTANT, Op.SUBTRACT_FROM);
            case "Mul" -> binary(node, 7, Op.MULTIPLY, Op.SCALE, Op.SCALE);
            case "Div" -> binary(node, 7, Op.DIVIDE, Op.DIVIDE_BY, Op.DIVIDE_INTO);
            case "Min" -> folded(node, 8, Op.MIN, Op.AT_MOST);
            case "Max" -> folded(node, 8, Op.MAX, Op.AT_LEAST);
            case "Sum" -> folded(node, 8, Op.ADD, Op.ADD_CONSTANT);
            case "Neg" -> cheap(node, (b, v) -> b.unary(Op.NEG, v[0]));
            case "Abs" -> cheap(node, (b, v) -> b.unary(Op.ABS, v[0]));
            case "Sqrt" -> cheap(node, (b, v) -> b.unary(Op.SQRT, v[0]));
            case "Reciprocal" -> cheap(node, (b, v) -> b.unary(Op.DIVIDE_INTO, v[0], 1));
            case "Relu" -> cheap(node, (b, v) -> b.unary(Op.RELU, v[0]));
            case "LeakyRelu" -> {
                float alpha = attributes.real("alpha", 0.01f);
                yield cheap(node, (b, v) -> b.unary(Op.LEAKY_RELU, v[0], alpha));
            }
            case "PRelu" -> node.opset() < 7 || node.input(1) == null ? null : prelu(node);
            case "Clip" -> clip(node);
            case "Pow" -> power(node);
            case "HardSwish" -> cheap(node, (b, v) -> b.unary(Op.HARD_SWISH, v[0]));
            case "HardSigmoid" -> {
                float alpha = attributes.real("alpha", 0.2f);
                float beta = attributes.real("beta", 0.5f);
                yield cheap(node, (b, v) -> b.unary(Op.HARD_SIGMOID, v[0], alpha, beta));
            }
            case "Softsign" ->
                cheap(node, (b, v) -> b.binary(Op.DIVIDE, v[0], b.unary(Op.ADD_CONSTANT, b.unary(Op.ABS, v[0]), 1)));
            case "Sigmoid" -> costly(node, (b, v) -> b.unary(Op.SIGMOID, v[0]));
            case "Tanh" -> costly(node, (b, v) -> b.unary(Op.TANH, v[0]));
            case "Erf" -> costly(node, (b, v) -> b.unary(Op.ERF, v[0]));
            case "Exp" -> costly(node, (b, v) -> b.unary(Op.EXP, v[0]));
            case "Log" -> costly(node, (b, v) -> b.unary(Op.LOG, v[0]));
            case "Softplus" -> costly(node, (b, v) -> b.unary(Op.SOFTPLUS, v[0]));
            case "Mish" ->
                costly(node, (b, v) -> b.binary(Op.MULTIPLY, v[0], b.unary(Op.TANH, b.unary(Op.SOFTPLUS, v[0]))));
            case "Elu" -> {
                float alpha = attributes.real("alpha", 1);
                yield costly(node, (b, v) -> elu(b, v[0], alpha));
            }
            case "Swish" -> swish(node, attributes.real("alpha", 1));
            case "Gelu" -> {
                Op op = attributes.text("approximate", "none").equals("tanh") ? Op.GELU_TANH : Op.GELU;
                yield costly(node, (b, v) -> b.unary(op, v[0]));
            }
            default -> null;
        };
    }

    private static @Nullable ElementwiseRule microsoft(Node node) {
        return switch (node.op().name()) {
            case "Gelu" -> costly(node, (b, v) -> b.unary(Op.GELU, v[0]));
            case "QuickGelu" -> swish(node, node.attributes().real("alpha", 1.702f));
            case "BiasGelu" -> node.input(1) == null ? null : biasGelu(node, Op.GELU);
            case "FastGelu" ->
                node.input(1) == null
                        ? costly(node, (b, v) -> b.unary(Op.GELU_TANH, v[0]))
                        : biasGelu(node, Op.GELU_TANH);
            default -> null;
        };
    }

    private static ElementwiseRule cheap(Node node, Emitter emitter) {
        return new ElementwiseRule(List.of(node.requireInput(0)), emitter, true);
    }

    private static ElementwiseRule costly(Node node, Emitter emitter) {
        return new ElementwiseRule(List.of(node.requireInput(0)), emitter, false);
    }

    private static ElementwiseRule both(Node node, boolean isCheap, Emitter emitter) {
        return new ElementwiseRule(List.of(node.requireInput(0), node.requireInput(1)), emitter, isCheap);
    }

    private static int elu(ExpressionBuilder b, int x, float alpha) {
        int grown = b.unary(Op.EXP, b.unary(Op.AT_MOST, x, 0));
        int negative = b.unary(Op.SCALE, b.unary(Op.ADD_CONSTANT, grown, -1), alpha);
        return b.binary(Op.ADD, negative, b.unary(Op.RELU, x));
    }

    private static ElementwiseRule swish(Node node, float alpha) {
        return costly(node, (b, v) -> {
            int x = alpha == 1 ? v[0] : b.unary(Op.SCALE, v[0], alpha);
            return b.binary(Op.MULTIPLY, v[0], b.unary(Op.SIGMOID, x));
        });
    }

    private static ElementwiseRule biasGelu(Node node, Op gelu) {
        return both(node, false, (b, v) -> b.unary(gelu, b.binary(Op.ADD, v[0], v[1])));
    }

    private static ElementwiseRule prelu(Node node) {
        return both(node, true, (b, v) -> {
            int negative = b.binary(Op.MULTIPLY, b.unary(Op.AT_MOST, v[0], 0), v[1]);
            return b.binary(Op.ADD, negative, b.unary(Op.RELU, v[0]));
        });
    }

    /** A binary operator; {@code constantRight} and {@code constantLeft} serve where that side is one number. */
    private static @Nullable ElementwiseRule binary(
            Node node, int sinceOpset, Op op, Op constantRight, Op constantLeft) {
        Value left = node.input(0);
        Value right = node.input(1);
        if (node.opset() < sinceOpset || left == null || right == null) {
            return null;
        }
        Float number = number(right, left);
        if (number != null) {
            float p = op == Op.SUBTRACT ? -number : number;
            return new ElementwiseRule(List.of(left), (b, v) -> b.unary(constantRight, v[0], p), true);
        }
        Float first = number(left, right);
        if (first != null) {
            return new ElementwiseRule(List.of(right), (b, v) -> b.unary(constantLeft, v[0], first), true);
        }
        return both(node, true, (b, v) -> b.binary(op, v[0], v[1]));
    }

    private static @Nullable ElementwiseRule folded(Node node, int sinceOpset, Op op, Op constant) {
        var operands = new ArrayList<Value>();
        for (Value input : node.inputs()) {
            if (input == null) {
                return null;
            }
            operands.add(input);
        }
        if (node.opset() < sinceOpset || operands.size() < 2) {
            return null;
        }
        if (operands.size() == 2) {
            return binary(node, sinceOpset, op, constant, constant);
        }
        return new ElementwiseRule(
                operands,
                (b, v) -> {
                    int result = v[0];
                    for (int i = 1; i < v.length; i++) {
                        result = b.binary(op, result, v[i]);
                    }
                    return result;
                },
                true);
    }

    private static @Nullable ElementwiseRule clip(Node node) {
        boolean fromInputs = node.opset() >= 11;
        Float low = fromInputs
                ? bound(node, 1, Float.NEGATIVE_INFINITY)
                : Float.valueOf(node.attributes().real("min", Float.NEGATIVE_INFINITY));
        Float high = fromInputs
                ? bound(node, 2, Float.POSITIVE_INFINITY)
                : Float.valueOf(node.attributes().real("max", Float.POSITIVE_INFINITY));
        if (low == null || high == null) {
            return null;
        }
        float least = low;
        float most = high;
        return cheap(node, (b, v) -> b.unary(Op.CLIP, v[0], least, most));
    }

    private static @Nullable Float bound(Node node, int input, float otherwise) {
        Value value = node.input(input);
        return value == null ? Float.valueOf(otherwise) : number(value);
    }

    private static @Nullable ElementwiseRule power(Node node) {
        Value base = node.input(0);
        Value exponent = node.input(1);
        Float number = base == null || exponent == null ? null : number(exponent, base);
        if (number == null || node.opset() < 7) {
            return null;
        }
        return switch (number.toString()) {
            case "2.0" -> cheap(node, (b, v) -> b.binary(Op.MULTIPLY, v[0], v[0]));
            case "3.0" -> cheap(node, (b, v) -> b.binary(Op.MULTIPLY, b.binary(Op.MULTIPLY, v[0], v[0]), v[0]));
            case "0.5" -> cheap(node, (b, v) -> b.unary(Op.SQRT, v[0]));
            case "-1.0" -> cheap(node, (b, v) -> b.unary(Op.DIVIDE_INTO, v[0], 1));
            default -> null;
        };
    }

    /** The one number that {@code value} is, where with {@code other} it gives a shape that is {@code other}'s. */
    private static @Nullable Float number(Value value, Value other) {
        Tensor constant = value.constant();
        SymbolicShape shape = other.shape();
        int rank = shape == null ? 0 : shape.rank();
        return constant == null || other.isConstant() || constant.shape().rank() > rank ? null : number(value);
    }

    private static @Nullable Float number(Value value) {
        Tensor constant = value.constant();
        if (constant == null || constant.elements() != 1) {
            return null;
        }
        ElementType type = constant.type();
        if (type.isFloating()) {
            return (float) constant.doubles()[0];
        }
        return type.isInteger() ? Float.valueOf((float) constant.longs()[0]) : null;
    }
}
