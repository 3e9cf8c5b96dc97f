package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/** Operators of {@code com.microsoft} that language models are made of. */
final class DecoderMakers {
    private static final ElementType FLOAT = ElementType.FLOAT;

    private DecoderMakers() {}

    private static void contributed(Map<OpId, NodeMaker> makers, String names, NodeMaker maker) {
        put(makers, OpId.MICROSOFT, names, maker);
    }

    static void putInto(Map<OpId, NodeMaker> makers) {
        contributed(makers, "AttnLSTM", DecoderMakers::attentive);
        contributed(makers, "GroupQueryAttention", DecoderMakers::grouped);
        contributed(makers, "RotaryEmbedding", (node, chance) -> {
            long heads = chance.between(1, 3);
            long batch = chance.some();
            long steps = chance.some();
            long half = chance.between(1, 4);
            node.with("interleaved", chance.between(0, 1));
            if (chance.once(2)) {
                node.fed(chance.tensor(FLOAT, Shape.of(batch, heads, steps, 2 * half)));
            } else {
                long more = 2L * chance.between(0, 2);
                node.with("num_heads", heads)
                        .with("rotary_embedding_dim", 2 * half)
                        .fed(chance.tensor(FLOAT, Shape.of(batch, steps, heads * (2 * half + more))));
            }
            node.fed(
                    chance.once(2)
                            ? Chance.longs(chance.between(0, 3))
                            : chance.whole(ElementType.INT64, Shape.of(batch, steps), 0, 8));
            node.fedOrHeld(chance.tensor(FLOAT, Shape.of(16, half)), chance.tensor(FLOAT, Shape.of(16, half)));
        });
        contributed(makers, "EmbedLayerNormalization", (node, chance) -> {
            long batch = chance.some();
            long steps = chance.some();
            long width = chance.between(3, 9);
            boolean segments = chance.once(2);
            Shape words = Shape.of(batch, steps);
            node.with("epsilon", chance.real(1e-3, 1e-2)).outputs(2).fed(chance.whole(ElementType.INT32, words, 0, 4));
            if (segments) {
                node.fed(chance.whole(ElementType.INT32, words, 0, 1));
            } else {
                node.none();
            }
            node.held(chance.reals(FLOAT, Shape.of(5, width), -3, 3), chance.reals(FLOAT, Shape.of(16, width), -3, 3));
            if (segments) {
                node.held(chance.reals(FLOAT, Shape.of(2, width), -3, 3));
            } else {
                node.none();
            }
            node.fedOrHeld(chance.tensor(FLOAT, Shape.of(width)), chance.tensor(FLOAT, Shape.of(width)));
            if (chance.once(2)) {
                node.fed(chance.whole(ElementType.INT32, words, 0, 1));
            }
        });
        contributed(makers, "MoE", (node, chance) -> {
            long experts = chance.between(1, 4);
            long width = chance.some();
            long inner = chance.some();
            node.with("k", chance.between(1, (int) experts))
                    .with("activation_type", chance.one("relu", "gelu", "silu", "identity"))
                    .with("normalize_routing_weights", chance.between(0, 1))
                    .fed(chance.tensor(FLOAT, Shape.of(5, width)), chance.reals(FLOAT, Shape.of(5, experts), -3, 3))
                    .held(chance.reals(FLOAT, Shape.of(experts, inner, width), -1, 1))
                    .fedOrHeld(chance.tensor(FLOAT, Shape.of(experts, inner)))
                    .held(chance.reals(FLOAT, Shape.of(experts, width, inner), -1, 1))
                    .fedOrHeld(chance.tensor(FLOAT, Shape.of(experts, width)));
        });
        contributed(makers, "QMoE", DecoderMakers::packedExperts);
        contributed(
                makers,
                "NGramRepeatBlock",
                (node, chance) -> node.with("ngram_size", chance.between(1, 3))
                        .fed(chance.whole(ElementType.INT64, Shape.of(2, chance.between(3, 9)), 0, 3))
                        .fed(chance.tensor(FLOAT, Shape.of(2, 4))));
        contributed(makers, "Trilu", (node, chance) -> {
            node.maybe("upper", chance.between(0, 1)).fed(chance.tensor(FLOAT, chance.full(2, 4)));
            if (chance.once(2)) {
                node.fed(Tensor.scalar((long) chance.between(-3, 3)));
            }
        });
        contributed(makers, "SampleOp", (node, chance) -> node.fed(chance.tensor(node.type("T"), chance.shape(0, 4))));
        contributed(
                makers,
                "UnfoldTensor",
                (node, chance) -> node.with("size", chance.between(1, 3))
                        .with("step", chance.between(1, 3))
                        .fed(chance.tensor(FLOAT, Shape.of(chance.some(), chance.between(3, 9)))));
        contributed(
                makers,
                "MurmurHash3",
                (node, chance) -> node.maybe("positive", chance.between(0, 1))
                        .maybe("seed", chance.between(0, 99))
                        .fed(chance.tensor(
                                chance.one(ElementType.INT32, ElementType.INT64, FLOAT), chance.full(1, 2))));
    }

    private static void attentive(OneNode node, Chance chance) {
        String direction = chance.one("forward", "reverse", "bidirectional");
        long directions = direction.equals("bidirectional") ? 2 : 1;
        long steps = chance.some();
        long batch = chance.some();
        long inputs = chance.some();
        long units = chance.some();
        long depth = chance.some();
        long width = chance.some();
        long places = chance.some();
        long seen = chance.once(2) ? chance.some() : 0;
        node.with("direction", direction)
                .with("hidden_size", units)
                .maybe("input_forget", chance.once(4) ? 1 : 0)
                .outputs(3)
                .fed(chance.tensor(FLOAT, Shape.of(steps, batch, inputs)))
                .fedOrHeld(parameter(chance, directions, 4 * units, inputs + (seen == 0 ? depth : seen)))
                .fedOrHeld(parameter(chance, directions, 4 * units, units));
        some(node, chance, parameter(chance, directions, 8 * units));
        some(node, chance, chance.whole(ElementType.INT32, Shape.of(batch), 1, steps));
        some(node, chance, chance.tensor(FLOAT, Shape.of(directions, batch, units)));
        some(node, chance, chance.tensor(FLOAT, Shape.of(directions, batch, units)));
        some(node, chance, parameter(chance, directions, 3 * units));
        node.fedOrHeld(parameter(chance, directions, units, width), parameter(chance, directions, depth, width))
                .fedOrHeld(parameter(chance, directions, width))
                .fed(chance.tensor(FLOAT, Shape.of(batch, places, depth)));
        some(node, chance, chance.whole(ElementType.INT32, Shape.of(batch), 1, places));
        if (seen > 0) {
            node.fedOrHeld(parameter(chance, directions, depth + units, seen));
        }
    }

    private static void packedExperts(OneNode node, Chance chance) {
        int bits = chance.one(4, 8);
        long experts = chance.between(1, 4);
        long width = 16L * chance.between(1, 3);
        long inner = 16L * chance.between(1, 3);
        long tokens = chance.between(1, 5);
        node.with("k", chance.between(1, (int) experts))
                .with("activation_type", chance.one("relu", "gelu", "silu", "identity"))
                .with("normalize_routing_weights", 1)
                .with("expert_weight_bits", bits)
                .with("block_size", 16)
                .fed(
                        chance.tensor(FLOAT, Shape.of(tokens, width)),
                        chance.reals(FLOAT, Shape.of(tokens, experts), -3, 3))
                .held(chance.whole(ElementType.UINT8, Shape.of(experts, inner, width * bits / 8), 0, 255))
                .held(chance.reals(FLOAT, Shape.of(experts, inner, width / 16), 0.001, 0.01))
                .held(parameter(chance, experts, inner))
                .held(chance.whole(ElementType.UINT8, Shape.of(experts, width, inner * bits / 8), 0, 255))
                .held(chance.reals(FLOAT, Shape.of(experts, width, inner / 16), 0.001, 0.01))
                .held(parameter(chance, experts, width));
    }

    private static Tensor parameter(Chance chance, long... dims) {
        return chance.reals(FLOAT, Shape.of(dims), -1, 1);
    }

    private static void some(OneNode node, Chance chance, Tensor tensor) {
        if (chance.once(2)) {
            node.fedOrHeld(tensor);
        } else {
            node.none();
        }
    }

    /** A prompt, or a step behind what a cache has. */
    private static void grouped(OneNode node, Chance chance) {
        long keyHeads = chance.between(1, 2);
        long heads = keyHeads * chance.between(1, 3);
        long size = 8L * chance.between(1, 2);
        int batch = chance.between(1, 3);
        int past = chance.once(2) ? 0 : chance.between(1, 5);
        int steps = past == 0 ? chance.between(1, 5) : 1;
        boolean rotary = chance.once(2);
        boolean sinks = chance.once(3);
        node.with("num_heads", heads).with("kv_num_heads", keyHeads).outputs(3);
        if (chance.once(3)) {
            node.with("local_window_size", chance.between(1, 4));
        }
        if (chance.once(3)) {
            node.with("softcap", chance.real(1, 5));
        }
        if (chance.once(3)) {
            node.with("scale", chance.real(0.1, 1));
        }
        if (rotary) {
            node.with("do_rotary", 1).with("rotary_interleaved", chance.between(0, 1));
        }
        Shape cache = Shape.of(batch, keyHeads, past, size);
        if (chance.once(2)) {
            node.fed(chance.tensor(FLOAT, Shape.of(batch, steps, heads * size)));
            node.fed(chance.tensor(FLOAT, Shape.of(batch, steps, keyHeads * size)));
            node.fed(chance.tensor(FLOAT, Shape.of(batch, steps, keyHeads * size)));
        } else {
            node.fed(chance.tensor(FLOAT, Shape.of(batch, steps, (heads + 2 * keyHeads) * size)));
            node.none().none();
        }
        node.fed(chance.tensor(FLOAT, cache), chance.tensor(FLOAT, cache));
        int total = past + steps;
        node.fed(chance.whole(ElementType.INT32, Shape.of(batch), total - 1, total - 1))
                .held(Tensor.copyOf(new int[] {total}, 1));
        if (rotary) {
            node.fedOrHeld(parameter(chance, 16, size / 2), parameter(chance, 16, size / 2));
        } else if (sinks) {
            node.none().none();
        }
        if (sinks) {
            node.none().none().fedOrHeld(chance.reals(FLOAT, Shape.of(heads), -3, 3));
        } else if (chance.once(4)) {
            node.with("smooth_softmax", 1);
        }
    }
}
