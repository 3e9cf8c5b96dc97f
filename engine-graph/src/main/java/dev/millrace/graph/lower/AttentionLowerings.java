package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lowers ONNX Runtime's attention operators to products and MultiHeadAttention. */
final class AttentionLowerings {
    /** The index of the output that holds the products of queries and keys. */
    private static final int SCORES = 3;

    private AttentionLowerings() {}

    /** The indices of an attention's inputs beside those of its projection; -1 for an input that the operator lacks. */
    private record Places(int mask, int past, int scores, int pastLength, int beams) {}

    static @Nullable Lowering lowering(Node node) {
        return switch (node.op().name()) {
            case OpName.ATTENTION -> c -> attend(c, projected(c), new Places(3, 4, 5, 6, -1));
            case "AttnLSTM" -> AttentiveLstmLowering::write;
            case "DecoderAttention" -> DecoderAttentionLowering::write;
            case "DecoderMaskedSelfAttention" -> AttentionLowerings::decoderSelf;
            case "DecoderMaskedMultiHeadAttention" -> AttentionLowerings::decoderHeads;
            case OpName.MULTI_HEAD_ATTENTION -> hasTables(node) ? AttentionLowerings::cachedHeads : null;
            case "QAttention" -> c -> attend(c, projectedBytes(c), new Places(5, 8, -1, -1, -1));
            default -> null;
        };
    }

    private static Value projected(Composer c) {
        Value product = c.op(OpName.MATMUL, c.input(0), c.input(1));
        return c.has(2) ? c.op(OpName.ADD, product, c.input(2)) : product;
    }

    private static Value projectedBytes(Composer c) {
        return QuantisationSteps.product(
                c, c.element(3), c.input(0), c.input(1), c.input(3), c.input(4), c.find(6), c.find(7), c.find(2));
    }

    private static void decoderSelf(Composer c) {
        attend(c, projected(c), new Places(3, 4, 5, 6, 8));
    }

    private static void attend(Composer c, Value together, Places places) {
        c.refuse(c.attributes().flag("do_rotary", false), "rotary embeddings");
        List<Value> parts = parts(c, together);
        Value past = places.past() < 0 ? null : c.find(places.past());
        Value hidden = hidden(c, places.mask(), parts.getFirst());
        Value scores = places.scores() < 0 ? null : c.find(places.scores());
        if (hidden != null) {
            scores = scores == null ? hidden : c.op(OpName.ADD, scores, hidden);
        }
        var cache = new StepCache(c, places.pastLength(), places.beams(), past != null && isShared(c));
        Value keys = past == null ? null : c.op(OpName.GATHER, past, c.scalar(0));
        Value values = past == null ? null : c.op(OpName.GATHER, past, c.scalar(1));
        NodeSpec spec = c.contributed(
                OpName.MULTI_HEAD_ATTENTION,
                parts.getFirst(),
                parts.get(1),
                parts.get(2),
                null,
                hidden == null ? c.find(places.mask()) : null,
                scores,
                cache.content(keys),
                cache.content(values));
        List<Value> outputs = c.add(likeCaller(c, spec), c.wants(1) ? 3 : 1);
        c.result(outputs.getFirst());
        if (c.wants(1)) {
            Value allKeys = c.op(OpName.UNSQUEEZE, cache.after(outputs.get(1), keys), c.longs(0));
            Value allValues = c.op(OpName.UNSQUEEZE, cache.after(outputs.get(2), values), c.longs(0));
            c.result(1, c.concat(0, allKeys, allValues));
        }
    }

    /**
     * Returns a mask of one number per key, or per query and key, as a bias of the scores; null for masks of other
     * ranks and none.
     */
    private static @Nullable Value hidden(Composer c, int mask, Value queries) {
        SymbolicShape shape = c.has(mask) ? c.input(mask).shape() : null;
        int rank = shape == null ? 0 : shape.rank();
        if (rank != 2 && rank != 3) {
            return null;
        }
        Value there = c.op(OpName.GREATER, c.input(mask), c.scalar(ElementType.INT32, 0));
        Value added = c.op(
                OpName.WHERE,
                there,
                c.scalar(ElementType.FLOAT, 0),
                c.scalar(ElementType.FLOAT, c.attributes().real("mask_filter_value", -10000f)));
        return c.op(OpName.CAST_LIKE, c.op(OpName.UNSQUEEZE, added, rank == 2 ? c.longs(1, 2) : c.longs(1)), queries);
    }

    private static boolean isShared(Composer c) {
        return c.attributes().flag("past_present_share_buffer", false);
    }

    private static NodeSpec likeCaller(Composer c, NodeSpec spec) {
        NodeSpec result = spec;
        for (String name : List.of("num_heads", "unidirectional", "mask_filter_value", "scale")) {
            Attribute value = c.attributes().find(name);
            result = value == null ? result : result.with(name, value);
        }
        return result;
    }

    /** Splits the last axis of {@code together} into queries, keys and values. */
    static List<Value> parts(Composer c, Value together) {
        long[] sizes = c.attributes().integers("qkv_hidden_sizes");
        return sizes == null
                ? c.split(together, 3)
                : c.add(c.onnx(OpName.SPLIT, together, c.longs(sizes)).with("axis", Attribute.of(-1)), 3);
    }

    /**
     * Lowers DecoderMaskedMultiHeadAttention: queries of one step, with keys of this step after a past, or with all
     * keys given.
     */
    private static void decoderHeads(Composer c) {
        boolean together = !c.has(1);
        List<Value> parts = together
                ? parts(c, c.has(10) ? c.op(OpName.ADD, c.input(0), c.input(10)) : c.input(0))
                : List.of(c.input(0), c.input(1), c.input(2));
        var cache = new StepCache(c, 7, 9, c.has(5) && isShared(c));
        NodeSpec spec = c.contributed(
                OpName.MULTI_HEAD_ATTENTION,
                parts.getFirst(),
                parts.get(1),
                parts.get(2),
                together ? null : c.find(10),
                c.find(3),
                c.find(4),
                cache.content(c.find(5)),
                cache.content(c.find(6)));
        boolean presents = c.wants(1) || c.wants(2);
        List<Value> outputs = c.add(likeCaller(c, spec), c.wants(SCORES) ? SCORES + 1 : presents ? 3 : 1);
        c.result(outputs.getFirst());
        for (int i = 1; i < Math.min(outputs.size(), SCORES); i++) {
            c.result(i, cache.after(outputs.get(i), c.find(i + 4)));
        }
        if (c.wants(SCORES)) {
            c.result(SCORES, outputs.get(SCORES));
        }
    }

    private static boolean hasTables(Node node) {
        return node.input(6) != null && node.input(7) != null && (node.input(8) != null || node.input(9) != null);
    }

    /** Lowers MultiHeadAttention with a cache whose length, or whose table of beams, is an input. */
    private static void cachedHeads(Composer c) {
        var cache = new StepCache(c, 8, 9, c.has(8));
        NodeSpec spec = c.contributed(
                        OpName.MULTI_HEAD_ATTENTION,
                        c.find(0),
                        c.find(1),
                        c.find(2),
                        c.find(3),
                        c.find(4),
                        c.find(5),
                        cache.content(c.find(6)),
                        cache.content(c.find(7)))
                .with(c.attributes());
        List<Value> outputs = c.add(spec, c.wants(1) || c.wants(2) ? 3 : 1);
        c.result(outputs.getFirst());
        for (int i = 1; i < outputs.size(); i++) {
            c.result(i, cache.after(outputs.get(i), c.find(i + 5)));
        }
    }
}
