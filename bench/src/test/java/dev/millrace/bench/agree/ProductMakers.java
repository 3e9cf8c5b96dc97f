package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.ValueLayout;
import java.util.Map;

/** Matrix products, and numbers in steps. */
final class ProductMakers {
    private ProductMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, "MatMul", (node, chance) -> {
            ElementType type = node.type("T");
            matrices(node, chance, type, type);
        });
        put(makers, "MatMulInteger", (node, chance) -> {
            ElementType a = node.type("T1");
            ElementType b = chance.once(2) ? a : ElementType.UINT8;
            matrices(node, chance, a, b);
            if (chance.often()) {
                node.fedOrHeld(chance.whole(a, Shape.SCALAR, 0, 9)).fedOrHeld(chance.whole(b, Shape.SCALAR, 0, 9));
            }
        });
        put(makers, "Gemm", ProductMakers::gemm);
        put(makers, "Einsum", ProductMakers::einsum);
        put(makers, "Det", (node, chance) -> {
            long n = chance.between(1, 5);
            node.fed(chance.tensor(node.type("T"), chance.full(2, 4).with(0, n).with(1, n)));
        });
        put(makers, "QuantizeLinear", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            ElementType to = chance.one(ElementType.INT8, ElementType.UINT8);
            int axis = chance.between(0, shape.rank() - 1);
            Shape scales = scales(node, chance, shape, axis);
            node.fed(chance.reals(ElementType.FLOAT, shape, -3, 3))
                    .fedOrHeld(scale(chance, scales))
                    .fedOrHeld(chance.whole(to, scales, -9, 9));
        });
        put(makers, "DequantizeLinear", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            ElementType from = chance.one(ElementType.INT8, ElementType.UINT8, ElementType.INT32);
            Shape scales = scales(node, chance, shape, chance.between(0, shape.rank() - 1));
            node.fed(chance.tensor(from, shape)).fedOrHeld(scale(chance, scales));
            if (from != ElementType.INT32) {
                node.fedOrHeld(chance.whole(from, scales, -9, 9));
            }
        });
        put(
                makers,
                "DynamicQuantizeLinear",
                (node, chance) -> node.outputs(3).fed(chance.tensor(ElementType.FLOAT, chance.full(1, 4))));
        put(makers, "QLinearMatMul", (node, chance) -> {
            ElementType type = chance.one(ElementType.INT8, ElementType.UINT8);
            long k = chance.some();
            node.fed(chance.tensor(type, Shape.of(chance.some(), k)))
                    .held(scale(chance, Shape.SCALAR), chance.whole(type, Shape.SCALAR, 0, 9))
                    .fedOrHeld(chance.tensor(type, Shape.of(k, chance.some())))
                    .held(scale(chance, Shape.SCALAR), chance.whole(type, Shape.SCALAR, 0, 9))
                    .held(scale(chance, Shape.SCALAR), chance.whole(type, Shape.SCALAR, 0, 9));
        });
    }

    /** One scale for all, or one for each place along an axis where the operator knows axes. */
    private static Shape scales(OneNode node, Chance chance, Shape shape, int axis) {
        if (!node.has("axis") || chance.once(2)) {
            return Shape.SCALAR;
        }
        node.with("axis", axis);
        return Shape.of(shape.dim(axis));
    }

    private static Tensor scale(Chance chance, Shape shape) {
        Tensor scales = Tensor.allocate(ElementType.FLOAT, shape);
        for (int i = 0; i < scales.elements(); i++) {
            scales.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, chance.real(0.02, 0.1));
        }
        return scales;
    }

    private static void matrices(OneNode node, Chance chance, ElementType a, ElementType b) {
        long k = chance.some();
        Shape batch = chance.shape(0, 2);
        Shape left = chance.under(batch);
        Shape right = chance.under(batch);
        node.fed(chance.tensor(a, matrix(left, chance.extent(), k)))
                .fedOrHeld(chance.tensor(b, matrix(right, k, chance.extent())));
    }

    private static Shape matrix(Shape batch, long rows, long columns) {
        long[] dims = new long[batch.rank() + 2];
        System.arraycopy(batch.toArray(), 0, dims, 0, batch.rank());
        dims[batch.rank()] = rows;
        dims[batch.rank() + 1] = columns;
        return Shape.of(dims);
    }

    private static void gemm(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        long m = chance.some();
        long k = chance.some();
        long n = chance.some();
        boolean turnA = chance.once(2);
        boolean turnB = chance.once(2);
        node.with("transA", turnA ? 1 : 0)
                .with("transB", turnB ? 1 : 0)
                .maybe("alpha", chance.real(0.5, 2))
                .maybe("beta", chance.real(0.5, 2))
                .fed(chance.tensor(type, turnA ? Shape.of(k, m) : Shape.of(m, k)))
                .fedOrHeld(chance.tensor(type, turnB ? Shape.of(n, k) : Shape.of(k, n)));
        if (node.opset() < 11 || chance.often()) {
            node.fedOrHeld(chance.tensor(type, chance.under(Shape.of(m, n))));
        }
    }

    private static void einsum(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        long i = chance.some();
        long j = chance.some();
        long k = chance.some();
        switch (chance.between(0, 4)) {
            case 0 ->
                node.with("equation", chance.one("ij,jk->ik", "ij,jk->ki", "ij,jk", "ij,jk->i"))
                        .fed(chance.tensor(type, Shape.of(i, j)))
                        .fedOrHeld(chance.tensor(type, Shape.of(j, k)));
            case 1 ->
                node.with("equation", chance.one("bij,bjk->bik", "...ij,...jk->...ik", "bij,bjk->ijk"))
                        .fed(chance.tensor(type, Shape.of(2, i, j)))
                        .fedOrHeld(chance.tensor(type, Shape.of(2, j, k)));
            case 2 ->
                node.with("equation", chance.one("ij->ji", "ij->i", "ij->", "ij->j"))
                        .fed(chance.tensor(type, Shape.of(i, j)));
            case 3 -> node.with("equation", chance.one("ii->i", "ii->", "ii")).fed(chance.tensor(type, Shape.of(i, i)));
            default ->
                node.with("equation", chance.one("i,j->ij", "i,j->ji"))
                        .fed(chance.tensor(type, Shape.of(i)))
                        .fedOrHeld(chance.tensor(type, Shape.of(j)));
        }
    }
}
