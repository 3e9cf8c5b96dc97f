package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/** Operators of {@code com.microsoft}. */
final class ContribMakers {
    private static final ElementType FLOAT = ElementType.FLOAT;

    private ContribMakers() {}

    private static void contributed(Map<OpId, NodeMaker> makers, String names, NodeMaker maker) {
        put(makers, OpId.MICROSOFT, names, maker);
    }

    static void putInto(Map<OpId, NodeMaker> makers) {
        contributed(
                makers, "Gelu FastGelu QuickGelu", (node, chance) -> node.fed(chance.tensor(FLOAT, chance.full(1, 4))));
        contributed(makers, "BiasGelu", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            node.fed(chance.tensor(FLOAT, shape)).fedOrHeld(chance.tensor(FLOAT, Shape.of(shape.dimAt(-1))));
        });
        contributed(makers, "SkipLayerNormalization SkipSimplifiedLayerNormalization", ContribMakers::skipNorm);
        contributed(makers, "FusedMatMul", (node, chance) -> {
            long m = chance.some();
            long k = chance.some();
            long n = chance.some();
            boolean a = chance.once(2);
            boolean b = chance.once(2);
            node.with("transA", a ? 1 : 0)
                    .with("transB", b ? 1 : 0)
                    .with("alpha", chance.real(0.5, 2))
                    .fed(chance.tensor(FLOAT, a ? Shape.of(2, k, m) : Shape.of(2, m, k)))
                    .fedOrHeld(chance.tensor(FLOAT, b ? Shape.of(2, n, k) : Shape.of(2, k, n)));
        });
        contributed(makers, "FusedGemm", (node, chance) -> {
            long k = chance.some();
            long n = chance.some();
            node.with("activation", chance.one("Relu", "Tanh", "Sigmoid"))
                    .fed(chance.tensor(FLOAT, Shape.of(chance.some(), k)))
                    .fedOrHeld(chance.tensor(FLOAT, Shape.of(k, n)), chance.tensor(FLOAT, Shape.of(n)));
        });
        contributed(makers, "MultiHeadAttention", (node, chance) -> {
            long heads = chance.between(1, 3);
            long hidden = heads * chance.some();
            long batch = chance.some();
            long keys = chance.some();
            node.with("num_heads", heads)
                    .fed(chance.tensor(FLOAT, Shape.of(batch, chance.some(), hidden)))
                    .fed(chance.tensor(FLOAT, Shape.of(batch, keys, hidden)))
                    .fed(chance.tensor(FLOAT, Shape.of(batch, keys, hidden)));
        });
        contributed(makers, "Attention", (node, chance) -> {
            long heads = chance.between(1, 3);
            long hidden = heads * chance.between(1, 4);
            long in = chance.some();
            node.with("num_heads", heads)
                    .with("unidirectional", chance.between(0, 1))
                    .fed(chance.tensor(FLOAT, Shape.of(chance.some(), chance.some(), in)))
                    .held(
                            chance.reals(FLOAT, Shape.of(in, 3 * hidden), -1, 1),
                            chance.tensor(FLOAT, Shape.of(3 * hidden)));
        });
        contributed(makers, "QLinearAdd QLinearMul", (node, chance) -> {
            ElementType type = chance.one(ElementType.INT8, ElementType.UINT8);
            Shape shape = chance.full(1, 4);
            node.fed(chance.tensor(type, chance.under(shape)));
            steps(node, chance, type);
            node.fed(chance.tensor(type, chance.under(shape)));
            steps(node, chance, type);
            steps(node, chance, type);
        });
        contributed(makers, "QLinearSigmoid QLinearLeakyRelu", (node, chance) -> {
            ElementType type = chance.one(ElementType.INT8, ElementType.UINT8);
            node.fed(chance.tensor(type, chance.full(1, 4)));
            steps(node, chance, type);
            steps(node, chance, type);
        });
        contributed(makers, "MatMulNBits", (node, chance) -> {
            int bits = chance.one(4, 8);
            int k = chance.between(1, 50);
            int n = chance.between(1, 9);
            int blocks = (k + 15) / 16;
            node.with("K", k)
                    .with("N", n)
                    .with("bits", bits)
                    .with("block_size", 16)
                    .fed(chance.tensor(FLOAT, Shape.of(chance.some(), k)))
                    .held(chance.whole(ElementType.UINT8, Shape.of(n, blocks, 2L * bits), 0, 255))
                    .held(chance.reals(FLOAT, Shape.of((long) n * blocks), 0.01, 0.1));
        });
        contributed(makers, "MatMulFpQ4", (node, chance) -> {
            int kind = chance.between(0, 1);
            int inner = chance.between(1, 70);
            int columns = chance.between(1, 9);
            long blocks = columns * ((inner + 31) / 32);
            int size = 20 + kind;
            Tensor packed = chance.whole(ElementType.UINT8, Shape.of(blocks * size), 0, 255);
            for (long at = 0; at < blocks * size; at += size) {
                packed.segment().set(ValueLayout.JAVA_FLOAT_UNALIGNED, at, chance.real(0.01, 0.1));
                if (kind == 1) {
                    packed.segment().set(ValueLayout.JAVA_BYTE, at + 4, (byte) chance.between(0, 15));
                }
            }
            node.with("blk_quant_type", kind)
                    .fed(chance.tensor(FLOAT, Shape.of(chance.some(), inner)))
                    .fedOrHeld(packed)
                    .held(Chance.longs(inner, columns));
        });
        contributed(makers, "MaxpoolWithMask", (node, chance) -> {
            int axes = chance.between(1, 3);
            long[] spatial = chance.between(axes, 3, 6);
            Tensor mask = chance.whole(ElementType.INT32, WindowMakers.image(1, 1, spatial), 0, 1);
            Elements.setLong(ElementType.INT32, mask.segment(), 0, 1);
            node.list("kernel_shape", chance.between(axes, 1, 3))
                    .list("strides", chance.between(axes, 1, 2))
                    .fed(chance.tensor(FLOAT, WindowMakers.image(chance.some(), chance.some(), spatial)))
                    .fed(mask);
        });
        contributed(makers, "MRotaryEmbedding", (node, chance) -> {
            long[] sections = chance.between(3, 0, 3);
            sections[0]++;
            long half = sections[0] + sections[1] + sections[2];
            long heads = chance.between(1, 3);
            long batch = chance.some();
            long steps = chance.some();
            node.list("mrope_section", sections)
                    .maybe("mrope_layout", chance.between(0, 1))
                    .maybe("interleaved", chance.between(0, 1))
                    .maybe("scale", chance.real(0.5, 2))
                    .with("num_heads", heads)
                    .fed(chance.tensor(FLOAT, Shape.of(batch, steps, heads * 2 * half)))
                    .fed(chance.whole(ElementType.INT64, Shape.of(3, batch, steps), 0, 8))
                    .fedOrHeld(chance.tensor(FLOAT, Shape.of(9, half)), chance.tensor(FLOAT, Shape.of(9, half)));
        });
        contributed(makers, "CDist", (node, chance) -> {
            long columns = chance.some();
            node.with("metric", chance.one("euclidean", "sqeuclidean"))
                    .fed(chance.tensor(FLOAT, Shape.of(chance.some(), columns)))
                    .fed(chance.tensor(FLOAT, Shape.of(chance.some(), columns)));
        });
    }

    private static void steps(OneNode node, Chance chance, ElementType type) {
        node.held(Tensor.scalar(chance.real(0.02, 0.1)), chance.whole(type, Shape.SCALAR, 0, 9));
    }

    private static void skipNorm(OneNode node, Chance chance) {
        Shape shape = chance.full(3, 3).with(2, chance.between(3, 9));
        Shape row = Shape.of(shape.dim(2));
        node.with("epsilon", chance.real(1e-3, 1e-2))
                .fed(chance.reals(FLOAT, shape, -3, 3), chance.reals(FLOAT, shape, -3, 3))
                .fedOrHeld(chance.tensor(FLOAT, row));
        if (chance.once(2)) {
            node.fedOrHeld(chance.tensor(FLOAT, row));
        }
    }
}
