package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.Map;

/** Layers of networks: norms, recurrent ones, attention, losses; and signals. */
final class LayerMakers {
    private static final ElementType FLOAT = ElementType.FLOAT;

    private LayerMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, "BatchNormalization", (node, chance) -> {
            Shape shape = chance.full(2, 5);
            Shape each = Shape.of(shape.dim(1));
            node.maybe("epsilon", chance.real(1e-5, 1e-2))
                    .fed(chance.tensor(FLOAT, shape))
                    .fedOrHeld(chance.tensor(FLOAT, each), chance.tensor(FLOAT, each), chance.tensor(FLOAT, each))
                    .fedOrHeld(chance.reals(FLOAT, each, 0.1, 2));
        });
        put(makers, "InstanceNormalization", (node, chance) -> {
            Shape shape = chance.full(3, 4);
            Shape each = Shape.of(shape.dim(1));
            node.maybe("epsilon", chance.real(1e-3, 1e-2))
                    .fed(normal(chance, shape.with(2, 7)))
                    .fedOrHeld(chance.tensor(FLOAT, each), chance.tensor(FLOAT, each));
        });
        put(makers, "GroupNormalization", (node, chance) -> {
            long groups = chance.between(1, 3);
            long channels = groups * chance.between(1, 3);
            Shape each = Shape.of(node.opset() < 21 ? groups : channels);
            node.with("num_groups", groups)
                    .maybe("epsilon", chance.real(1e-3, 1e-2))
                    .fed(normal(chance, chance.full(3, 4).with(1, channels).with(2, 7)))
                    .fedOrHeld(chance.tensor(FLOAT, each), chance.tensor(FLOAT, each));
        });
        put(makers, "LayerNormalization RMSNormalization", LayerMakers::rowNorm);
        put(makers, "MeanVarianceNormalization", (node, chance) -> {
            Shape shape = chance.full(4, 4).with(2, 5);
            node.fed(normal(chance, shape));
            if (chance.often() && node.has("axes")) {
                node.list("axes", 2, 3);
            }
        });
        put(makers, "LSTM", (node, chance) -> recurrent(node, chance, 4));
        put(makers, "GRU", (node, chance) -> recurrent(node, chance, 3));
        put(makers, "RNN", (node, chance) -> recurrent(node, chance, 1));
        put(makers, "Attention", LayerMakers::attention);
        put(makers, "RotaryEmbedding", (node, chance) -> {
            long size = 2L * chance.between(1, 4);
            long steps = chance.some();
            long batch = chance.some();
            Shape angles = Shape.of(9, size / 2);
            node.maybe("interleaved", chance.between(0, 1))
                    .fed(chance.tensor(FLOAT, Shape.of(batch, chance.some(), steps, size)))
                    .fedOrHeld(chance.tensor(FLOAT, angles), chance.tensor(FLOAT, angles))
                    .fed(chance.whole(ElementType.INT64, Shape.of(batch, steps), 0, 8));
        });
        put(makers, "NegativeLogLikelihoodLoss SoftmaxCrossEntropyLoss", (node, chance) -> {
            Shape shape = chance.full(2, 4);
            long classes = shape.dim(1);
            long[] dims = shape.toArray();
            long[] targets = new long[dims.length - 1];
            targets[0] = dims[0];
            System.arraycopy(dims, 2, targets, 1, dims.length - 2);
            node.with("reduction", chance.one("none", "mean", "sum"))
                    .fed(chance.tensor(FLOAT, shape))
                    .fed(chance.whole(ElementType.INT64, Shape.of(targets), 0, classes - 1));
            if (chance.once(2)) {
                node.fedOrHeld(chance.reals(FLOAT, Shape.of(classes), 0.1, 2));
            }
        });
        put(makers, "Dropout", (node, chance) -> node.fed(chance.tensor(FLOAT, chance.shape(0, 4))));
        put(
                makers,
                "HannWindow HammingWindow BlackmanWindow",
                (node, chance) -> node.maybe("periodic", chance.between(0, 1))
                        .fedOrHeld(Tensor.scalar((long) chance.between(2, 20))));
        put(makers, "DFT", (node, chance) -> {
            Shape shape = Shape.of(chance.some(), chance.between(2, 9), chance.between(1, 2));
            node.fed(chance.tensor(FLOAT, shape));
        });
        put(
                makers,
                "STFT",
                (node, chance) -> node.fed(chance.tensor(FLOAT, Shape.of(chance.some(), 24, 1)))
                        .held(Tensor.scalar((long) chance.between(1, 5)))
                        .fedOrHeld(chance.tensor(FLOAT, Shape.of(8))));
        put(
                makers,
                "MelWeightMatrix",
                (node, chance) -> node.held(
                        Tensor.scalar((long) chance.between(2, 6)),
                        Tensor.scalar(16L),
                        Tensor.scalar(8000L),
                        Tensor.copyOf(new float[] {chance.real(0, 100)}),
                        Tensor.copyOf(new float[] {chance.real(2000, 4000)})));
    }

    /** Numbers that are not all nearly the same. */
    private static Tensor normal(Chance chance, Shape shape) {
        return chance.reals(FLOAT, shape, -3, 3);
    }

    private static void rowNorm(OneNode node, Chance chance) {
        Shape shape = chance.full(1, 4);
        shape = shape.with(shape.rank() - 1, chance.between(3, 9));
        int axis = chance.between(0, shape.rank() - 1);
        long[] dims = shape.toArray();
        Shape row = Shape.of(Arrays.copyOfRange(dims, axis, dims.length));
        node.with("axis", chance.once(2) ? axis : axis - shape.rank())
                .maybe("epsilon", chance.real(1e-3, 1e-2))
                .fed(normal(chance, shape))
                .fedOrHeld(chance.tensor(FLOAT, row));
        if (node.toString().startsWith("Layer") && chance.often()) {
            node.fedOrHeld(chance.tensor(FLOAT, row));
        }
    }

    private static void recurrent(OneNode node, Chance chance, int gates) {
        String direction = chance.one("forward", "reverse", "bidirectional");
        long directions = direction.equals("bidirectional") ? 2 : 1;
        long steps = chance.some();
        long batch = chance.some();
        long inputs = chance.some();
        long units = chance.some();
        node.with("direction", direction)
                .with("hidden_size", units)
                .maybe("linear_before_reset", chance.between(0, 1))
                .maybe("input_forget", chance.once(4) ? 1 : 0)
                .outputs(gates == 4 ? 3 : 2)
                .fed(chance.tensor(FLOAT, Shape.of(steps, batch, inputs)))
                .fedOrHeld(chance.reals(FLOAT, Shape.of(directions, gates * units, inputs), -1, 1))
                .fedOrHeld(chance.reals(FLOAT, Shape.of(directions, gates * units, units), -1, 1));
        if (chance.often()) {
            node.fedOrHeld(chance.reals(FLOAT, Shape.of(directions, 2 * gates * units), -1, 1));
        } else {
            node.none();
        }
        if (chance.once(2)) {
            node.fedOrHeld(chance.whole(ElementType.INT32, Shape.of(batch), 1, steps));
        } else {
            node.none();
        }
        if (chance.once(2)) {
            node.fed(chance.tensor(FLOAT, Shape.of(directions, batch, units)));
        }
    }

    private static void attention(OneNode node, Chance chance) {
        long batch = chance.some();
        long heads = chance.between(1, 3);
        long size = chance.some();
        long keys = chance.some();
        long steps = chance.some();
        node.maybe("is_causal", chance.between(0, 1))
                .maybe("scale", chance.real(0.1, 1))
                .fed(chance.tensor(FLOAT, Shape.of(batch, heads, steps, size)))
                .fed(chance.tensor(FLOAT, Shape.of(batch, heads, keys, size)))
                .fed(chance.tensor(FLOAT, Shape.of(batch, heads, keys, chance.some())));
        if (chance.once(2)) {
            node.fed(chance.tensor(FLOAT, chance.under(Shape.of(batch, heads, steps, keys))));
        }
    }
}
