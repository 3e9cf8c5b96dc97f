package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/** Operators that fold axes, or rank and normalise what lies along them. */
final class ReduceMakers {
    private static final String FOLDS =
            "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum "
                    + "ReduceLogSumExp ReduceSumSquare";

    private ReduceMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, FOLDS, ReduceMakers::fold);
        put(makers, "ArgMax ArgMin", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            node.maybe("axis", chance.axis(shape.rank()))
                    .maybe("keepdims", chance.between(0, 1))
                    .maybe("select_last_index", chance.between(0, 1))
                    .fed(chance.tensor(node.type("T"), shape));
        });
        put(makers, "Softmax LogSoftmax Hardmax", (node, chance) -> {
            Shape shape = chance.shape(2, 4);
            node.maybe("axis", chance.axis(shape.rank())).fed(chance.tensor(node.type("T"), shape));
        });
        put(makers, "LpNormalization", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            node.maybe("axis", chance.axis(shape.rank()))
                    .maybe("p", chance.between(1, 2))
                    .fed(chance.tensor(node.type("T"), shape));
        });
        put(makers, "CumSum CumProd", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            node.maybe("exclusive", chance.between(0, 1))
                    .maybe("reverse", chance.between(0, 1))
                    .fed(chance.tensor(node.type("T"), shape))
                    .fedOrHeld(chance.whole(
                            chance.one(ElementType.INT32, ElementType.INT64),
                            Shape.SCALAR,
                            -shape.rank(),
                            shape.rank() - 1));
        });
        put(makers, "TopK", ReduceMakers::largest);
    }

    private static void fold(OneNode node, Chance chance) {
        Shape shape = chance.full(1, 4);
        long[] axes = chance.axes(shape.rank());
        node.maybe("keepdims", chance.between(0, 1));
        ElementType type = node.type("T");
        Tensor x = type.isFloating() ? chance.reals(type, shape, 0.1, 3) : chance.whole(type, shape, 1, 3);
        node.fed(x);
        if (node.has("axes")) {
            if (axes.length > 0) {
                node.list("axes", axes);
            }
            return;
        }
        if (axes.length > 0) {
            node.fedOrHeld(Chance.longs(axes));
        }
        node.maybe("noop_with_empty_axes", chance.between(0, 1));
    }

    private static void largest(OneNode node, Chance chance) {
        Shape shape = chance.full(1, 4);
        long axis = chance.axis(shape.rank());
        long k = chance.between(1, (int) shape.dimAt((int) (axis < 0 ? axis : axis - shape.rank())));
        node.with("axis", axis)
                .maybe("largest", chance.between(0, 1))
                .outputs(2)
                .fed(distinct(chance, shape));
        if (node.has("k")) {
            node.with("k", k);
        } else {
            node.fedOrHeld(Chance.longs(k));
        }
    }

    /** Which of equal elements come first is not said. */
    private static Tensor distinct(Chance chance, Shape shape) {
        long[] order = chance.permutation(Math.toIntExact(shape.elements()));
        float[] values = new float[order.length];
        for (int i = 0; i < order.length; i++) {
            values[i] = order[i] / 4f;
        }
        return Tensor.copyOf(values, shape.toArray());
    }
}
