package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.Map;

/** Operators that move elements, or make them of shapes. */
final class ShapeMakers {
    private ShapeMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, "Shape Size", (node, chance) -> node.fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        put(makers, "Transpose", (node, chance) -> {
            Shape shape = chance.shape(0, 4);
            node.list("perm", chance.permutation(shape.rank())).fed(chance.tensor(node.type("T"), shape));
        });
        put(makers, "Flatten", (node, chance) -> {
            Shape shape = chance.shape(1, 4);
            node.maybe("axis", chance.between(0, shape.rank())).fed(chance.tensor(node.type("T"), shape));
        });
        put(makers, "Reshape", ShapeMakers::reshape);
        put(makers, "Squeeze", ShapeMakers::squeeze);
        put(makers, "Unsqueeze", ShapeMakers::unsqueeze);
        put(makers, "Concat", ShapeMakers::concat);
        put(makers, "Split", ShapeMakers::split);
        put(makers, "Slice", ShapeMakers::slice);
        put(makers, "Expand", (node, chance) -> {
            Shape whole = chance.shape(0, 4);
            node.fed(chance.tensor(node.type("T"), chance.under(whole))).fedOrHeld(Chance.longs(whole.toArray()));
        });
        put(makers, "Tile", (node, chance) -> {
            Shape shape = chance.shape(1, 4);
            node.fed(chance.tensor(node.type("T"), shape)).fedOrHeld(Chance.longs(chance.between(shape.rank(), 1, 3)));
        });
        put(makers, "Pad", ShapeMakers::pad);
        put(makers, "DepthToSpace", (node, chance) -> {
            long block = chance.between(1, 3);
            Shape shape = chance.full(4, 4).with(1, block * block * chance.between(1, 3));
            node.with("blocksize", block);
            if (node.has("mode")) {
                node.with("mode", chance.one("DCR", "CRD"));
            }
            node.fed(chance.tensor(node.type("T"), shape));
        });
        put(makers, "SpaceToDepth", (node, chance) -> {
            long block = chance.between(1, 3);
            Shape shape =
                    chance.full(4, 4).with(2, block * chance.between(1, 3)).with(3, block * chance.between(1, 3));
            node.with("blocksize", block).fed(chance.tensor(node.type("T"), shape));
        });
        put(
                makers,
                "ConstantOfShape",
                (node, chance) -> node.fedOrHeld(Chance.longs(chance.shape(0, 4).toArray())));
        put(
                makers,
                "EyeLike",
                (node, chance) ->
                        node.maybe("k", chance.between(-2, 2)).fed(chance.tensor(node.type("T1"), chance.shape(2, 2))));
        put(makers, "Range", (node, chance) -> {
            ElementType type = node.type("T");
            int step = chance.between(1, 3);
            node.fedOrHeld(chance.whole(type, Shape.SCALAR, 0, 4))
                    .fedOrHeld(chance.whole(type, Shape.SCALAR, 3, 12))
                    .fedOrHeld(chance.whole(type, Shape.SCALAR, step, step));
        });
        put(
                makers,
                "Trilu",
                (node, chance) -> node.maybe("upper", chance.between(0, 1))
                        .fed(chance.tensor(node.type("T"), chance.shape(2, 4)))
                        .fedOrHeld(chance.whole(ElementType.INT64, Shape.SCALAR, -3, 3)));
        put(makers, "ReverseSequence", (node, chance) -> {
            Shape shape = chance.full(2, 4);
            boolean first = chance.once(2);
            int steps = (int) shape.dim(first ? 0 : 1);
            node.with("time_axis", first ? 0 : 1)
                    .with("batch_axis", first ? 1 : 0)
                    .fed(chance.tensor(node.type("T"), shape))
                    .fedOrHeld(chance.whole(ElementType.INT64, Shape.of(shape.dim(first ? 1 : 0)), 1, steps));
        });
        put(makers, "CenterCropPad", (node, chance) -> {
            Shape shape = chance.full(1, 3);
            node.fed(chance.tensor(node.type("T"), shape)).fedOrHeld(Chance.longs(chance.between(shape.rank(), 1, 7)));
        });
    }

    private static void reshape(OneNode node, Chance chance) {
        Shape shape = chance.shape(0, 4);
        long[] target = shape.toArray();
        if (target.length > 1 && chance.often()) {
            int at = chance.between(0, target.length - 2);
            target[at] *= target[at + 1];
            long[] joined = new long[target.length - 1];
            System.arraycopy(target, 0, joined, 0, at + 1);
            System.arraycopy(target, at + 2, joined, at + 1, joined.length - at - 1);
            target = joined;
        }
        boolean empty = shape.elements() == 0;
        if (target.length > 0 && !empty && chance.often()) {
            target[chance.between(0, target.length - 1)] = -1;
        }
        if (empty) {
            node.maybe("allowzero", 1);
        }
        node.fed(chance.tensor(node.type("T"), shape)).fedOrHeld(Chance.longs(target));
    }

    private static void squeeze(OneNode node, Chance chance) {
        Shape shape = chance.shape(1, 4);
        long[] dims = shape.toArray();
        long[] axes = chance.axes(dims.length);
        for (long axis : axes) {
            dims[(int) (axis < 0 ? axis + dims.length : axis)] = 1;
        }
        node.fed(chance.tensor(node.type("T"), Shape.of(dims)));
        if (axes.length > 0) {
            axes(node, axes);
        }
    }

    private static void axes(OneNode node, long... axes) {
        if (node.has("axes")) {
            node.list("axes", axes);
        } else {
            node.held(Chance.longs(axes));
        }
    }

    private static void unsqueeze(OneNode node, Chance chance) {
        Shape shape = chance.shape(0, 3);
        node.fed(chance.tensor(node.type("T"), shape));
        long[] axes = chance.axes(shape.rank() + 2);
        int rank = shape.rank() + axes.length;
        axes(
                node,
                Arrays.stream(axes)
                        .map(axis -> Math.floorMod(axis, shape.rank() + 2))
                        .filter(axis -> axis < rank)
                        .toArray());
    }

    private static void concat(OneNode node, Chance chance) {
        ElementType type = node.type("T");
        Shape shape = chance.shape(1, 4);
        long axis = chance.axis(shape.rank());
        node.with("axis", axis);
        for (int i = chance.between(1, 4); i > 0; i--) {
            node.fedOrHeld(chance.tensor(type, shape.with((int) Math.floorMod(axis, shape.rank()), chance.extent())));
        }
    }

    private static void split(OneNode node, Chance chance) {
        Shape shape = chance.shape(1, 4);
        long axis = chance.axis(shape.rank());
        int parts = chance.between(1, 3);
        long[] sizes = chance.between(parts, 0, 4);
        long all = Arrays.stream(sizes).sum();
        node.with("axis", axis)
                .outputs(parts)
                .fed(chance.tensor(node.type("T"), shape.with((int) Math.floorMod(axis, shape.rank()), all)));
        if (node.has("split")) {
            node.list("split", sizes);
        } else {
            node.fedOrHeld(Chance.longs(sizes));
        }
    }

    private static void slice(OneNode node, Chance chance) {
        Shape shape = chance.shape(1, 4);
        int rank = shape.rank();
        long[] axes = chance.axes(rank);
        long[] starts = chance.between(axes.length, -6, 6);
        long[] ends = chance.between(axes.length, -6, 12);
        node.fed(chance.tensor(node.type("T"), shape));
        if (node.has("starts")) {
            node.list("starts", starts).list("ends", ends).list("axes", axes);
            return;
        }
        node.fedOrHeld(Chance.longs(starts), Chance.longs(ends), Chance.longs(axes));
        if (chance.often()) {
            long[] steps = chance.between(axes.length, -2, 1);
            node.fedOrHeld(Chance.longs(Arrays.stream(steps)
                    .map(step -> step >= 0 ? step + 1 : step)
                    .toArray()));
        }
    }

    private static void pad(OneNode node, Chance chance) {
        Shape shape = chance.full(1, 4);
        String mode = chance.one("constant", "edge", "reflect");
        long[] pads = chance.between(2 * shape.rank(), mode.equals("constant") ? -1 : 0, 2);
        for (int i = 0; i < pads.length; i++) {
            long extent = shape.dim(i % shape.rank());
            boolean fits = mode.equals("reflect") ? pads[i] < extent : extent > 2 || pads[i] >= 0;
            pads[i] = fits ? pads[i] : 0;
        }
        ElementType type = node.type("T");
        node.with("mode", mode).fed(chance.tensor(type, shape));
        if (node.has("pads")) {
            node.list("pads", pads).maybe("value", chance.real(-1, 1));
            return;
        }
        node.fedOrHeld(Chance.longs(pads));
        if (chance.often()) {
            Tensor value = chance.tensor(type, Shape.SCALAR);
            node.fedOrHeld(value);
        }
    }
}
