package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import java.util.Set;

/** The operators that treat each element of their first input alone and keep its shape. */
final class Elementwise {
    static final Set<String> UNARY = Set.of(
            "Abs",
            "Acos",
            "Acosh",
            "Asin",
            "Asinh",
            "Atan",
            "Atanh",
            "BitwiseNot",
            "Cast",
            "Ceil",
            "Celu",
            "Clip",
            "Cos",
            "Cosh",
            "Elu",
            "Erf",
            "Exp",
            "Floor",
            "Gelu",
            "HardSigmoid",
            "HardSwish",
            "Identity",
            "IsInf",
            "IsNaN",
            "LeakyRelu",
            "Log",
            "Mish",
            "Neg",
            "Not",
            "Reciprocal",
            "Relu",
            "Round",
            "Selu",
            "Shrink",
            "Sigmoid",
            "Sign",
            "Sin",
            "Sinh",
            "Softplus",
            "Softsign",
            "Sqrt",
            "Swish",
            "Tan",
            "Tanh",
            "ThresholdedRelu");

    /** Binary ones that broadcast as numpy does, since the opset at which they began to. */
    static final Set<String> BINARY = Set.of(
            "Add",
            "And",
            "BitwiseAnd",
            "BitwiseOr",
            "BitwiseXor",
            "Div",
            "Equal",
            "Greater",
            "GreaterOrEqual",
            "Less",
            "LessOrEqual",
            "Mod",
            "Mul",
            "Or",
            "Pow",
            "PRelu",
            "Sub",
            "Xor");

    private Elementwise() {}

    static boolean isUnary(Node node) {
        return node.op().domain().isEmpty() && UNARY.contains(node.op().name());
    }

    static boolean isBinary(Node node) {
        return node.op().domain().isEmpty()
                && BINARY.contains(node.op().name())
                && node.opset() >= 7
                && node.inputs().size() == 2;
    }
}
