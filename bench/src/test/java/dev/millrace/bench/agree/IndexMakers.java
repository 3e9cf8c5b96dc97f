package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/** Operators that take or put elements where indices say, or say where they are. */
final class IndexMakers {
    private IndexMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, "Gather", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            long axis = chance.axis(shape.rank());
            long extent = shape.dim(Math.floorMod(axis, shape.rank()));
            node.with("axis", axis)
                    .fed(chance.tensor(node.type("T"), shape))
                    .fedOrHeld(chance.indices(chance.shape(0, 2), extent));
        });
        put(makers, "GatherElements", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            int axis = chance.between(0, shape.rank() - 1);
            node.with("axis", axis)
                    .fed(chance.tensor(node.type("T"), shape))
                    .fedOrHeld(chance.indices(shape.with(axis, chance.extent()), shape.dim(axis)));
        });
        put(makers, "GatherND", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            int depth = chance.between(1, shape.rank());
            node.fed(chance.tensor(node.type("T"), shape)).fedOrHeld(places(chance, shape, depth, chance.extent()));
        });
        put(makers, "ScatterElements", IndexMakers::scatterElements);
        put(makers, "ScatterND", IndexMakers::scatterNd);
        put(makers, "OneHot", (node, chance) -> {
            Shape shape = chance.full(1, 3);
            ElementType type = node.type("T3");
            node.maybe("axis", chance.axis(shape.rank() + 1))
                    .fed(chance.whole(ElementType.INT64, shape, -6, 6))
                    .fedOrHeld(Tensor.copyOf(new long[] {chance.between(1, 6)}))
                    .fedOrHeld(chance.tensor(type, Shape.of(2)));
        });
        put(makers, "NonZero", (node, chance) -> node.fed(chance.tensor(node.type("T"), chance.shape(1, 4))));
        put(makers, "Compress", (node, chance) -> {
            Shape shape = chance.full(1, 4);
            int axis = chance.between(0, shape.rank() - 1);
            node.with("axis", axis)
                    .fed(chance.tensor(node.type("T"), shape))
                    .fedOrHeld(chance.tensor(ElementType.BOOL, Shape.of(shape.dim(axis))));
        });
        put(makers, "Unique", (node, chance) -> {
            Shape shape = chance.full(1, 3);
            if (chance.once(2)) {
                node.with("axis", chance.axis(shape.rank()));
            }
            node.with("sorted", chance.between(0, 1)).outputs(4).fed(chance.whole(node.type("T"), shape, 0, 3));
        });
    }

    /** Places along the first axes, as many as {@code count}. */
    private static Tensor places(Chance chance, Shape shape, int depth, long count) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < depth; i++) {
            least = Math.min(least, shape.dim(i));
        }
        return chance.whole(ElementType.INT64, Shape.of(count, depth), 0, least - 1);
    }

    private static void scatterElements(OneNode node, Chance chance) {
        Shape shape = chance.full(1, 3);
        int axis = chance.between(0, shape.rank() - 1);
        ElementType type = node.type("T");
        boolean adds = node.has("reduction") && chance.often();
        // one index for each lane, so that no place is written twice
        Shape lanes = adds ? shape : shape.with(axis, 1);
        node.with("axis", axis);
        if (adds) {
            node.with("reduction", chance.one("add", "mul", "max", "min"));
        }
        node.fed(chance.tensor(type, shape))
                .fedOrHeld(chance.indices(lanes, shape.dim(axis)))
                .fed(chance.tensor(type, lanes));
    }

    private static void scatterNd(OneNode node, Chance chance) {
        Shape shape = chance.full(1, 4);
        int depth = chance.between(1, shape.rank());
        ElementType type = node.type("T");
        boolean adds = node.has("reduction") && chance.often();
        long count = adds ? chance.extent() : 1;
        if (adds) {
            node.with("reduction", chance.one("add", "mul", "max", "min"));
        }
        long[] rest = shape.toArray();
        long[] dims = new long[rest.length - depth + 1];
        dims[0] = count;
        System.arraycopy(rest, depth, dims, 1, rest.length - depth);
        node.fed(chance.tensor(type, shape))
                .fedOrHeld(places(chance, shape, depth, count))
                .fed(chance.tensor(type, Shape.of(dims)));
    }
}
