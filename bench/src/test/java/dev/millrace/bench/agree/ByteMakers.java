package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/** Operators of {@code com.microsoft} on quantised numbers. */
final class ByteMakers {
    private static final ElementType FLOAT = ElementType.FLOAT;

    /** Weights whose products in pairs fit 16 bits, which is as far as ONNX Runtime adds them up exactly. */
    private static final int MOST_WEIGHT = 60;

    private ByteMakers() {}

    private static void contributed(Map<OpId, NodeMaker> makers, String names, NodeMaker maker) {
        put(makers, OpId.MICROSOFT, names, maker);
    }

    static void putInto(Map<OpId, NodeMaker> makers) {
        contributed(makers, "QLinearSoftmax", (node, chance) -> {
            ElementType type = type(chance);
            Shape shape = chance.full(1, 4);
            node.with("opset", chance.one(11, 13)).with("axis", chance.axis(shape.rank()));
            node.fed(chance.tensor(type, shape));
            steps(node, chance, type);
            node.held(Tensor.scalar(1f / 256), chance.whole(type, Shape.SCALAR, 0, 9));
        });
        contributed(makers, "QLinearConcat", (node, chance) -> {
            ElementType type = type(chance);
            Shape shape = chance.full(1, 4);
            int axis = chance.between(0, shape.rank() - 1);
            node.with("axis", axis);
            steps(node, chance, type);
            for (int i = chance.between(1, 3); i > 0; i--) {
                node.fed(chance.tensor(type, shape.with(axis, chance.some())));
                steps(node, chance, type);
            }
        });
        contributed(makers, "QLinearWhere", (node, chance) -> {
            ElementType type = type(chance);
            Shape shape = chance.full(1, 4);
            node.fed(chance.tensor(ElementType.BOOL, chance.under(shape)));
            node.fed(chance.tensor(type, chance.under(shape)));
            steps(node, chance, type);
            node.fed(chance.tensor(type, chance.under(shape)));
            steps(node, chance, type);
            steps(node, chance, type);
        });
        contributed(makers, "QLinearAveragePool QLinearGlobalAveragePool NhwcMaxPool", ByteMakers::pool);
        contributed(makers, "QGemm", ByteMakers::gemm);
        contributed(makers, "DynamicQuantizeMatMul", (node, chance) -> {
            long k = chance.some();
            long n = chance.some();
            node.fed(chance.tensor(FLOAT, chance.once(2) ? Shape.of(chance.some(), k) : Shape.of(2, chance.some(), k)))
                    .held(weights(chance, k, n), chance.reals(FLOAT, scales(chance, n), 0.01, 0.1));
        });
        contributed(makers, "MatMulIntegerToFloat", (node, chance) -> {
            long k = chance.some();
            long n = chance.some();
            ElementType type = type(chance);
            node.fed(chance.tensor(type, Shape.of(chance.some(), chance.some(), k)))
                    .held(weights(chance, k, n), Tensor.scalar(chance.real(0.01, 0.1)))
                    .held(chance.reals(FLOAT, scales(chance, n), 0.01, 0.1), chance.whole(type, Shape.SCALAR, 0, 9));
            if (chance.once(2)) {
                node.none().fedOrHeld(chance.tensor(FLOAT, Shape.of(n)));
            }
        });
        contributed(makers, "QAttention", (node, chance) -> {
            long heads = chance.between(1, 3);
            long hidden = heads * chance.between(1, 4);
            long in = chance.some();
            node.with("num_heads", heads)
                    .with("unidirectional", chance.between(0, 1))
                    .fed(chance.tensor(ElementType.UINT8, Shape.of(chance.some(), chance.some(), in)))
                    .held(weights(chance, in, 3 * hidden))
                    .fedOrHeld(chance.tensor(FLOAT, Shape.of(3 * hidden)))
                    .held(Tensor.scalar(chance.real(0.01, 0.05)), Tensor.scalar(chance.real(0.01, 0.05)))
                    .none()
                    .held(chance.whole(ElementType.UINT8, Shape.SCALAR, 0, 9));
        });
        contributed(makers, "GatherBlockQuantized", (node, chance) -> {
            int bits = chance.one(4, 8);
            long blocks = chance.between(1, 3);
            long rows = chance.between(2, 6);
            node.with("bits", bits)
                    .with("block_size", 16)
                    .held(chance.whole(ElementType.UINT8, Shape.of(rows, blocks * 2 * bits), 0, 255))
                    .fed(chance.indices(chance.full(1, 2), rows))
                    .held(chance.reals(FLOAT, Shape.of(rows, blocks), 0.01, 0.1));
        });
        contributed(makers, "MatMulInteger16", (node, chance) -> {
            long k = chance.some();
            node.fed(chance.whole(ElementType.INT16, Shape.of(chance.some(), k), -999, 999))
                    .fed(chance.whole(ElementType.INT16, Shape.of(k, chance.some()), -999, 999));
        });
        contributed(makers, "MatMulBnb4", (node, chance) -> {
            long k = chance.between(1, 40);
            long n = chance.between(1, 9);
            node.with("K", k)
                    .with("N", n)
                    .with("block_size", 16)
                    .with("quant_type", chance.between(0, 1))
                    .fed(chance.tensor(FLOAT, Shape.of(chance.some(), k)))
                    .held(chance.whole(ElementType.UINT8, Shape.of((n * k + 1) / 2), 0, 255))
                    .held(chance.reals(FLOAT, Shape.of((n * k + 15) / 16), 0.01, 1));
        });
    }

    private static ElementType type(Chance chance) {
        return chance.one(ElementType.INT8, ElementType.UINT8);
    }

    /** A scale and a zero point. */
    private static void steps(OneNode node, Chance chance, ElementType type) {
        node.held(Tensor.scalar(chance.real(0.02, 0.1)), chance.whole(type, Shape.SCALAR, 0, 9));
    }

    private static Tensor weights(Chance chance, long... dims) {
        return chance.whole(ElementType.INT8, Shape.of(dims), -MOST_WEIGHT, MOST_WEIGHT);
    }

    private static Shape scales(Chance chance, long columns) {
        return chance.once(2) ? Shape.SCALAR : Shape.of(columns);
    }

    private static void pool(OneNode node, Chance chance) {
        ElementType type = type(chance);
        boolean everywhere = node.toString().startsWith("QLinearGlobal");
        boolean plain = node.toString().startsWith("Nhwc");
        boolean last = plain || chance.once(2);
        long[] image = chance.between(2, 3, 7);
        long[] dims = last
                ? new long[] {chance.some(), image[0], image[1], chance.some()}
                : new long[] {chance.some(), chance.some(), image[0], image[1]};
        if (!everywhere) {
            node.list("kernel_shape", chance.between(2, 1, 3))
                    .list("strides", chance.between(2, 1, 2))
                    .maybe("count_include_pad", chance.between(0, 1));
            if (chance.once(2)) {
                node.list("pads", 0, 0, 0, 0);
            }
        }
        if (!plain) {
            node.with("channels_last", last ? 1 : 0);
        }
        node.fed(chance.tensor(type, Shape.of(dims)));
        if (!plain) {
            steps(node, chance, type);
            steps(node, chance, type);
        }
    }

    private static void gemm(OneNode node, Chance chance) {
        ElementType type = type(chance);
        long m = chance.some();
        long k = chance.some();
        long n = chance.some();
        boolean a = chance.once(2);
        boolean b = chance.once(2);
        node.with("transA", a ? 1 : 0)
                .with("transB", b ? 1 : 0)
                .with("alpha", chance.real(0.5, 2))
                .fed(chance.tensor(type, a ? Shape.of(k, m) : Shape.of(m, k)));
        steps(node, chance, type);
        node.held(b ? weights(chance, n, k) : weights(chance, k, n));
        node.held(Tensor.scalar(chance.real(0.02, 0.1)), weights(chance));
        if (chance.once(2)) {
            node.held(chance.whole(ElementType.INT32, Shape.of(n), -999, 999));
        } else {
            node.none();
        }
        if (chance.once(2)) {
            steps(node, chance, type);
        }
    }
}
