package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/** Operators that take elements one by one. */
final class ElementwiseMakers {
    private static final String UNARY =
            "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Erf Exp Floor HardSwish Identity Log Mish Neg"
                    + " Reciprocal Relu Round Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh BitwiseNot";

    private ElementwiseMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, UNARY, (node, chance) -> node.fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        put(makers, "Not", (node, chance) -> node.fed(chance.tensor(ElementType.BOOL, chance.shape(0, 4))));
        put(
                makers,
                "IsNaN IsInf",
                (node, chance) -> node.fed(chance.tensor(
                        chance.one(ElementType.FLOAT, ElementType.DOUBLE, ElementType.FLOAT16), chance.shape(0, 4))));
        put(
                makers,
                "Elu LeakyRelu Celu ThresholdedRelu Swish",
                (node, chance) -> node.maybe("alpha", chance.real(0.1, 2))
                        .fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        put(
                makers,
                "Selu",
                (node, chance) -> node.maybe("alpha", chance.real(0.1, 2))
                        .maybe("gamma", chance.real(0.1, 2))
                        .fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        put(
                makers,
                "HardSigmoid",
                (node, chance) -> node.maybe("alpha", chance.real(0.1, 0.5))
                        .maybe("beta", chance.real(0.1, 0.8))
                        .fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        put(
                makers,
                "Shrink",
                (node, chance) -> node.maybe("lambd", chance.real(0.1, 2))
                        .maybe("bias", chance.real(-1, 1))
                        .fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        put(
                makers,
                "Gelu",
                (node, chance) -> node.with("approximate", chance.one("none", "tanh"))
                        .fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        put(
                makers,
                "Add Sub Mul Equal Greater GreaterOrEqual Less LessOrEqual",
                (node, chance) -> binary(node, chance, node.type("T")));
        put(makers, "And Or Xor", (node, chance) -> binary(node, chance, ElementType.BOOL));
        put(makers, "BitwiseAnd BitwiseOr BitwiseXor", (node, chance) -> binary(node, chance, node.type("T")));
        put(makers, "Div", ElementwiseMakers::quotient);
        put(makers, "Mod", ElementwiseMakers::modulo);
        put(makers, "BitShift", ElementwiseMakers::shift);
        put(makers, "Pow", ElementwiseMakers::power);
        put(makers, "PRelu", (node, chance) -> {
            ElementType type = node.type("T");
            Shape shape = chance.shape(1, 4);
            node.fed(chance.tensor(type, shape)).fedOrHeld(chance.tensor(type, chance.under(shape)));
        });
        put(makers, "Sum Mean Max Min", ElementwiseMakers::several);
        put(makers, "Where", (node, chance) -> {
            Shape shape = chance.shape(0, 4);
            ElementType type = node.type("T");
            node.fedOrHeld(chance.tensor(ElementType.BOOL, chance.under(shape)))
                    .fed(chance.tensor(type, chance.under(shape)))
                    .fedOrHeld(chance.tensor(type, chance.under(shape)));
        });
        put(makers, "Clip", ElementwiseMakers::clip);
        put(makers, "Cast", (node, chance) -> {
            ElementType from = node.type("T1");
            node.with("to", node.type("T2").code()).fed(chance.tensor(from, chance.shape(0, 4)));
        });
        put(
                makers,
                "CastLike",
                (node, chance) -> node.fed(chance.tensor(node.type("T1"), chance.shape(0, 4)))
                        .fedOrHeld(chance.tensor(node.type("T2"), chance.shape(0, 1))));
    }

    private static void binary(OneNode node, Chance chance, ElementType type) {
        Shape shape = chance.shape(0, 4);
        node.fed(chance.tensor(type, chance.under(shape))).fedOrHeld(chance.tensor(type, chance.under(shape)));
    }

    /** Whole numbers are not divided by 0, which ends ONNX Runtime's process. */
    private static Tensor divisor(Chance chance, ElementType type, Shape shape) {
        return type.isFloating() ? chance.tensor(type, shape) : chance.whole(type, shape, 1, 9);
    }

    private static void quotient(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        Shape shape = chance.shape(0, 4);
        node.fed(chance.tensor(type, chance.under(shape))).fedOrHeld(divisor(chance, type, chance.under(shape)));
    }

    private static void modulo(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        Shape shape = chance.shape(0, 4);
        node.with("fmod", type.isFloating() || chance.once(2) ? 1 : 0)
                .fed(chance.tensor(type, chance.under(shape)))
                .fedOrHeld(divisor(chance, type, chance.under(shape)));
    }

    private static void shift(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        Shape shape = chance.shape(0, 4);
        node.with("direction", chance.one("LEFT", "RIGHT"))
                .fed(chance.tensor(type, chance.under(shape)))
                .fedOrHeld(chance.whole(type, chance.under(shape), 0, 7));
    }

    private static void power(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        ElementType exponent = node.opset() < 12 ? type : node.type("T1");
        Shape shape = chance.shape(0, 4);
        Tensor base = type.isFloating()
                ? chance.reals(type, chance.under(shape), 0.1, 3)
                : chance.whole(type, chance.under(shape), 1, 3);
        Tensor to = exponent.isFloating()
                ? chance.reals(exponent, chance.under(shape), 0, 3)
                : chance.whole(exponent, chance.under(shape), 0, 3);
        node.fed(base).fedOrHeld(to);
    }

    private static void several(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        Shape shape = chance.shape(0, 4);
        for (int i = chance.between(1, 4); i > 0; i--) {
            node.fed(chance.tensor(type, node.opset() < 8 ? shape : chance.under(shape)));
        }
    }

    private static void clip(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        node.fed(chance.tensor(type, chance.shape(0, 4)));
        if (node.has("min")) {
            node.maybe("min", chance.real(-2, 0)).maybe("max", chance.real(0, 2));
            return;
        }
        if (chance.often()) {
            node.fedOrHeld(chance.whole(type, Shape.SCALAR, -2, 0));
        } else {
            node.none();
        }
        if (chance.often()) {
            node.fedOrHeld(chance.whole(type, Shape.SCALAR, 1, 3));
        }
    }
}
