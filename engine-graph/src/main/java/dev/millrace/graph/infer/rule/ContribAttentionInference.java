package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The attention operators of {@code com.microsoft}. */
final class ContribAttentionInference {
    private static final Dim PAIR = Dim.of(2);

    private ContribAttentionInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case OpName.MULTI_HEAD_ATTENTION -> multiHead(c);
            case "DecoderMaskedMultiHeadAttention" -> decoding(c);
            case OpName.GROUP_QUERY_ATTENTION -> groupQuery(c);
            case "SparseAttention" -> sparse(c);
            case "LongformerAttention", "QOrderedLongformerAttention" -> {
                c.dims(0, 3);
                positive(c, "num_heads");
                c.set(0, c.tensor(0));
            }
            case "PagedAttention" -> paged(c);
            case "DecoderAttention" -> {
                c.dims(0, 3);
                positive(c, "num_heads");
                c.set(0, c.tensor(0));
                c.set(1, c.element(0), Dims.unknown(4));
                c.set(2, c.element(0), Dims.unknown(4));
            }
            default -> projecting(c);
        }
    }

    private static long positive(InferenceContext c, String attribute) {
        long value = c.attributes().integer(attribute);
        if (value <= 0) {
            throw c.refuse("attribute '" + attribute + "' is " + value + " where a positive number is expected");
        }
        return value;
    }

    /** Attention and QAttention, which multiply the input by the packed projections themselves. */
    private static void projecting(InferenceContext c) {
        boolean quantized = c.op().equals("QAttention");
        List<Dim> input = c.dims(0, 3);
        long heads = positive(c, "num_heads");
        long[] sizes = c.attributes().integers("qkv_hidden_sizes");
        if (sizes != null && sizes.length != 3) {
            throw c.refuse("attribute 'qkv_hidden_sizes' has " + sizes.length + " values where 3 are expected");
        }
        Dim packed = c.has(1) && c.dims(1, 2) != null ? c.dim(1, 1) : c.has(2) ? c.dim(2, 0) : Dim.UNKNOWN;
        Dim hidden = sizes == null ? Dims.floorDiv(packed, 3) : Dim.of(sizes[2]);
        ElementType element = quantized ? c.element(3) : c.element(0);
        Dim batch = input == null ? Dim.UNKNOWN : input.get(0);
        Dim steps = input == null ? Dim.UNKNOWN : input.get(1);
        c.set(0, element, List.of(batch, steps, hidden));
        int pastAt = quantized ? 8 : 4;
        List<Dim> past = c.has(pastAt) ? c.dims(pastAt, 5) : null;
        Dim before = !c.has(pastAt) ? Dims.ZERO : past == null ? Dim.UNKNOWN : past.get(3);
        boolean shared = c.attributes().flag("past_present_share_buffer", false);
        Dim total = shared ? before : Dims.add(before, steps);
        Dim size = Dims.floorDiv(hidden, heads);
        OperandChecks.shape(c, pastAt, PAIR, batch, Dim.of(heads), before, size);
        Dim keys = shared ? Dim.UNKNOWN : total;
        checkMask(c, quantized ? 5 : 3, batch, steps, keys);
        if (!quantized) {
            OperandChecks.broadcastsTo(c, 5, List.of(batch, Dim.of(heads), steps, keys));
        }
        c.set(1, element, List.of(PAIR, batch, Dim.of(heads), total, size));
    }

    /** A mask of lengths or bounds by entry of the batch, or of keys by entry, perhaps by query; one of rank 4 is cut. */
    private static void checkMask(InferenceContext c, int input, Dim batch, Dim queries, Dim keys) {
        List<Dim> mask = c.dims(input);
        switch (mask == null ? 0 : mask.size()) {
            case 1 ->
                OperandChecks.count(
                        c,
                        input,
                        "one length, or an end and a start, for each entry of the batch",
                        batch,
                        Dims.mul(batch, 2),
                        Dims.add(Dims.mul(batch, 3), 2));
            case 2 -> OperandChecks.broadcastsTo(c, input, List.of(batch, keys));
            case 3 -> OperandChecks.broadcastsTo(c, input, List.of(batch, queries, keys));
            default -> {}
        }
    }

    private static void decoding(InferenceContext c) {
        List<Dim> q = c.dims(0, 3);
        c.set(0, c.element(0), q == null || c.has(1) ? q : Dims.unknown(3));
        c.set(1, c.element(0), Dims.unknown(4));
        c.set(2, c.element(0), Dims.unknown(4));
        c.set(3, c.element(0), Dims.unknown(4));
    }

    private static void multiHead(InferenceContext c) {
        List<Dim> q = c.dims(0, 3, 5);
        long heads = positive(c, "num_heads");
        if (q == null) {
            c.set(0, c.element(0), Dims.unknown(3));
            return;
        }
        if (q.size() == 4) {
            throw c.refuse("queries have shape " + q + " where rank 3 or 5 is expected");
        }
        List<Dim> key = c.has(1) ? c.dims(1, 3, 5) : null;
        List<Dim> value = c.has(2) ? c.dims(2, 3, 4) : null;
        checkHeads(c, 0, q, heads);
        checkHeads(c, 1, key, heads);
        checkHeads(c, 2, value, heads);
        checkBatch(c, 1, key, q);
        checkBatch(c, 2, value, q);
        Dim headSize = q.size() == 3 ? Dims.floorDiv(q.get(2), heads) : q.getLast();
        Dim hidden = Dims.mul(headSize, heads);
        Dim valueSize = headSize;
        if (value != null) {
            valueSize = value.size() == 3 ? Dims.floorDiv(value.get(2), heads) : value.get(3);
            hidden = value.size() == 3 ? value.get(2) : Dims.mul(value.get(3), heads);
        } else if (c.has(2)) {
            valueSize = Dim.UNKNOWN;
            hidden = Dim.UNKNOWN;
        }
        c.set(0, c.element(0), List.of(q.get(0), q.get(1), hidden));
        Dim keys = keys(c, q, key);
        Dim before = !c.has(6) ? Dims.ZERO : c.dims(6, 4) == null ? Dim.UNKNOWN : c.dim(6, 2);
        Dim total = c.has(6) && c.has(8) ? before : Dims.add(before, keys);
        if (c.has(6) != c.has(7)) {
            throw c.refuse("keys and values of the past are given together or not at all");
        }
        OperandChecks.shape(c, 6, q.get(0), Dim.of(heads), before, headSize);
        OperandChecks.shape(c, 7, q.get(0), Dim.of(heads), before, valueSize);
        OperandChecks.broadcastsTo(c, 5, List.of(q.get(0), Dim.of(heads), q.get(1), c.has(8) ? Dim.UNKNOWN : total));
        c.set(1, c.element(0), List.of(q.get(0), Dim.of(heads), total, headSize));
        c.set(2, c.element(0), List.of(q.get(0), Dim.of(heads), total, valueSize));
        c.set(3, c.element(0), List.of(q.get(0), Dim.of(heads), q.get(1), total));
    }

    /** Heads that have an axis of their own, because operands lie together or one by one, are as many as the attribute says. */
    private static void checkHeads(InferenceContext c, int input, @Nullable List<Dim> dims, long heads) {
        Dim dim = dims == null || dims.size() == 3 ? Dim.UNKNOWN : dims.get(dims.size() == 5 ? 2 : 1);
        if (dim instanceof Dim.Known known && known.extent() != heads) {
            throw c.refuse(
                    "input " + input + " of shape " + dims + " has " + dim + " heads, and 'num_heads' is " + heads);
        }
    }

    private static void checkBatch(InferenceContext c, int input, @Nullable List<Dim> dims, List<Dim> q) {
        if (dims != null && Dims.differ(dims.getFirst(), q.getFirst())) {
            throw c.refuse("input " + input + " of shape " + dims + " has another batch than queries of shape " + q);
        }
    }

    /** How many keys the query meets in this call. */
    private static Dim keys(InferenceContext c, List<Dim> q, @Nullable List<Dim> key) {
        if (!c.has(1)) {
            return q.get(1);
        }
        return key == null ? Dim.UNKNOWN : key.size() == 4 ? key.get(2) : key.get(1);
    }

    /** Groups of query heads that share keys; the extent of a head. */
    private static Dim grouped(InferenceContext c) {
        c.dims(0, 3);
        long heads = positive(c, "num_heads");
        long keyHeads = positive(c, "kv_num_heads");
        Dim headSize = Dims.floorDiv(c.dim(0, 2), c.has(1) ? heads : heads + 2 * keyHeads);
        c.set(0, c.element(0), List.of(c.dim(0, 0), c.dim(0, 1), Dims.mul(headSize, heads)));
        return headSize;
    }

    /** Steps of all texts by what lies in them; blocks by steps by heads of keys by what lies in those. */
    private static void paged(InferenceContext c) {
        c.dims(0, 2);
        long heads = positive(c, "num_heads");
        long keyHeads = positive(c, "kv_num_heads");
        c.dims(3, 4);
        c.dims(7, 2);
        Dim size = c.dim(3, 3);
        Dim texts = c.dim(7, 0);
        Dim hidden = Dims.mul(size, heads);
        Dim ofKeys = Dims.mul(size, keyHeads);
        c.expect(3, 2, Dim.of(keyHeads));
        OperandChecks.shape(c, 4, c.dim(3, 0), c.dim(3, 1), Dim.of(keyHeads), size);
        c.expect(0, 1, c.has(1) ? hidden : Dims.add(hidden, Dims.mul(ofKeys, 2)));
        OperandChecks.shape(c, 1, c.dim(0, 0), ofKeys);
        OperandChecks.shape(c, 2, c.dim(0, 0), ofKeys);
        OperandChecks.shape(c, 5, Dims.add(texts, 1));
        OperandChecks.shape(c, 6, texts);
        OperandChecks.shape(c, 10, c.dim(0, 0));
        c.set(0, c.element(0), List.of(c.dim(0, 0), hidden));
        c.set(1, c.tensor(3));
        c.set(2, c.tensor(4));
    }

    private static void sparse(InferenceContext c) {
        positive(c, "sparse_block_size");
        grouped(c);
        c.dims(3, 4);
        c.dims(4, 4);
        c.dims(5, 2);
        c.dims(6, 2);
        c.set(1, c.tensor(3));
        c.set(2, c.tensor(4));
    }

    private static void groupQuery(InferenceContext c) {
        Dim headSize = grouped(c);
        long keyHeads = c.attributes().integer("kv_num_heads");
        Dim batch = c.dim(0, 0);
        List<Dim> past = c.has(3) ? c.dims(3, 4) : null;
        Dim room = !c.has(3) ? Dims.ZERO : past == null ? Dim.UNKNOWN : past.get(2);
        List<Dim> total = c.has(6) ? c.integers(6) : null;
        Dim needed = total == null || total.isEmpty() ? Dim.UNKNOWN : total.getFirst();
        Dim places = Dims.max(room, needed);
        long bits = c.attributes().integer("kv_cache_bit_width", 0);
        Dim stored = bits == 4 ? Dims.ceilDiv(headSize, 2) : headSize;
        List<Dim> present = List.of(batch, Dim.of(keyHeads), places, stored);
        c.set(1, c.has(3) ? c.element(3) : ofCache(c, "k_quant_type", bits), present);
        c.set(2, c.has(4) ? c.element(4) : ofCache(c, "v_quant_type", bits), present);
        c.set(3, c.element(0), List.of(batch, Dim.of(c.attributes().integer("num_heads")), c.dim(0, 1), needed));
    }

    /** The type of a cache without a past. */
    private static @Nullable ElementType ofCache(InferenceContext c, String kind, long bits) {
        if (c.attributes().text(kind, "NONE").equals("NONE")) {
            return c.element(0);
        }
        return bits == 4 ? ElementType.UINT8 : ElementType.INT8;
    }
}
