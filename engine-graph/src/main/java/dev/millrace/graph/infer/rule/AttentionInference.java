package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shape rules of ONNX's own attention operators. */
final class AttentionInference {
    private AttentionInference() {}

    /** AppendSteps: new rows behind the valid ones of a cache, which gets room for a given number of them. */
    static void appendSteps(InferenceContext c) {
        List<Dim> past = c.dims(0, 4);
        List<Dim> rows = c.dims(1, 4);
        if (past != null && rows != null) {
            OperandChecks.shape(c, 1, past.get(0), past.get(1), rows.get(2), past.get(3));
        }
        OperandChecks.one(c, 2);
        OperandChecks.one(c, 3);
        List<Dim> known = past == null ? rows : past;
        c.set(0, c.element(0), known == null ? Dims.unknown(4) : InferenceContext.with(known, 2, c.integer(3)));
    }

    static void attention(InferenceContext c) {
        List<Dim> q = c.dims(0, 3, 4);
        List<Dim> k = c.dims(1, 3, 4);
        List<Dim> v = c.dims(2, 3, 4);
        if (q == null || k == null || v == null) {
            c.set(0, c.element(0), q == null ? null : Dims.unknown(q.size()));
            return;
        }
        if (k.size() != q.size() || v.size() != q.size()) {
            throw c.refuse("query " + q + ", key " + k + " and value " + v + " have different ranks");
        }
        boolean packed = q.size() == 3;
        long queryHeads = heads(c, "q_num_heads", packed);
        long keyHeads = heads(c, "kv_num_heads", packed);
        Dim heads = packed ? Dim.of(queryHeads) : q.get(1);
        Dim kvHeads = packed ? Dim.of(keyHeads) : k.get(1);
        Dim keySize = packed ? Dims.floorDiv(k.get(2), keyHeads) : k.get(3);
        Dim valueSize = packed ? Dims.floorDiv(v.get(2), keyHeads) : v.get(3);
        Dim queries = q.get(packed ? 1 : 2);
        Dim past = c.has(4) ? c.dims(4, 4) == null ? Dim.UNKNOWN : c.dim(4, 2) : Dims.ZERO;
        Dim keys = Dims.add(past, k.get(packed ? 1 : 2));
        if (c.has(4) != c.has(5)) {
            throw c.refuse("keys and values of the past are given together or not at all");
        }
        packing(c, q, heads, kvHeads);
        Dim batch = q.get(0);
        Dim now = k.get(packed ? 1 : 2);
        OperandChecks.shape(
                c,
                1,
                packed
                        ? List.of(batch, now, Dims.mul(kvHeads, size(q, heads)))
                        : List.of(batch, kvHeads, now, q.get(3)));
        OperandChecks.shape(
                c,
                2,
                packed ? List.of(batch, now, Dims.mul(kvHeads, valueSize)) : List.of(batch, kvHeads, now, valueSize));
        OperandChecks.shape(c, 4, batch, kvHeads, past, keySize);
        OperandChecks.shape(c, 5, batch, kvHeads, past, valueSize);
        OperandChecks.shape(c, 6, batch);
        mask(c, List.of(batch, heads, queries), keys);
        c.set(
                0,
                c.element(0),
                packed
                        ? List.of(q.get(0), queries, Dims.mul(heads, valueSize))
                        : List.of(q.get(0), heads, queries, valueSize));
        c.set(1, c.has(4) ? c.element(4) : c.element(1), List.of(k.get(0), kvHeads, keys, keySize));
        c.set(2, c.has(5) ? c.element(5) : c.element(2), List.of(v.get(0), kvHeads, keys, valueSize));
        c.set(3, c.element(0), List.of(q.get(0), heads, queries, keys));
    }

    /** Checks that queries hold whole heads and that each key head serves the same number of query heads. */
    private static void packing(InferenceContext c, List<Dim> q, Dim heads, Dim kvHeads) {
        if (q.size() == 3 && heads instanceof Dim.Known known) {
            OperandChecks.divides(c, "the number of query heads", known.extent(), q.get(2));
        }
        if (heads.isKnown() && kvHeads instanceof Dim.Known known) {
            OperandChecks.divides(c, "the number of key heads", known.extent(), heads);
        }
    }

    /** Returns the size of one query head. */
    private static Dim size(List<Dim> q, Dim heads) {
        return q.size() == 3 ? Dims.floorDiv(q.get(2), heads) : q.get(3);
    }

    /** Checks that a mask broadcasts to the scores; its last axis may be shorter than the keys. */
    private static void mask(InferenceContext c, List<Dim> rows, Dim keys) {
        List<Dim> mask = c.dims(3);
        if (mask == null) {
            return;
        }
        if (mask.isEmpty()) {
            throw c.refuse("a mask of rank 0 has no keys");
        }
        Dim dim = mask.getLast();
        if (dim instanceof Dim.Known x && keys instanceof Dim.Known y && x.extent() > y.extent()) {
            throw c.refuse("a mask of shape " + mask + " has more keys than there are, " + keys);
        }
        var target = new ArrayList<>(rows);
        target.add(dim);
        OperandChecks.broadcastsTo(c, 3, target);
    }

    private static long heads(InferenceContext c, String attribute, boolean packed) {
        long heads = c.attributes().integer(attribute, 0);
        if (packed && heads <= 0) {
            throw c.refuse("attribute '" + attribute + "' is needed where query, key and value have rank 3");
        }
        return heads;
    }

    /** Infers RotaryEmbedding: angles for each position of a table, or for each step where no positions are given. */
    static void rotaryEmbedding(InferenceContext c) {
        List<Dim> x = c.dims(0, 3, 4);
        c.set(0, c.tensor(0));
        if (x == null) {
            return;
        }
        long heads = heads(c, "num_heads", x.size() == 3);
        if (x.size() == 3) {
            OperandChecks.divides(c, "attribute 'num_heads'", heads, x.get(2));
        }
        Dim size = x.size() == 3 ? Dims.floorDiv(x.get(2), heads) : x.get(3);
        long turned = c.attributes().integer("rotary_embedding_dim", 0);
        if (turned < 0 || turned % 2 != 0 || size instanceof Dim.Known known && turned > known.extent()) {
            throw c.refuse("attribute 'rotary_embedding_dim' is " + turned
                    + " where an even number up to the size of a head, " + size + ", is expected");
        }
        Dim half = turned == 0 ? Dims.floorDiv(size, 2) : Dim.of(turned / 2);
        Dim steps = x.size() == 3 ? x.get(1) : x.get(2);
        OperandChecks.shape(c, 3, x.get(0), steps);
        for (int cache = 1; cache <= 2; cache++) {
            if (c.has(3)) {
                OperandChecks.shape(c, cache, c.dims(1, 2) == null ? Dim.UNKNOWN : c.dim(1, 0), half);
            } else {
                OperandChecks.shape(c, cache, x.get(0), steps, half);
            }
        }
    }

    static void linearAttention(InferenceContext c) {
        List<Dim> q = c.dims(0, 3);
        List<Dim> k = c.dims(1, 3);
        List<Dim> v = c.dims(2, 3);
        long queryHeads = heads(c, "q_num_heads", true);
        long keyHeads = heads(c, "kv_num_heads", true);
        for (int input : new int[] {1, 2, 4, 5}) {
            if (c.has(input)) {
                c.dims(input, 3);
                c.expect(input, 0, first(q, 0));
                c.expect(input, 1, first(q, 1));
            }
        }
        Dim keySize = k == null ? Dim.UNKNOWN : Dims.floorDiv(k.get(2), keyHeads);
        Dim valueSize = v == null ? Dim.UNKNOWN : Dims.floorDiv(v.get(2), keyHeads);
        Dim batch = first(q, 0);
        List<Dim> state = List.of(batch, Dim.of(keyHeads), keySize, valueSize);
        if (c.has(3)) {
            c.dims(3, state.size());
            for (int axis = 0; axis < state.size(); axis++) {
                c.expect(3, axis, state.get(axis));
            }
        }
        c.set(0, c.element(0), List.of(batch, first(q, 1), Dims.mul(valueSize, queryHeads)));
        c.set(1, c.has(3) ? c.element(3) : c.element(0), state);
    }

    private static Dim first(@Nullable List<Dim> dims, int axis) {
        return dims == null ? Dim.UNKNOWN : dims.get(axis);
    }
}
