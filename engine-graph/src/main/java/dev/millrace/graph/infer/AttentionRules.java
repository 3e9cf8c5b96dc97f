package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Dim;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** ONNX's own attention operators. */
final class AttentionRules {
    private AttentionRules() {}

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

    private static long heads(InferenceContext c, String attribute, boolean packed) {
        long heads = c.attributes().integer(attribute, 0);
        if (packed && heads <= 0) {
            throw c.refuse("attribute '" + attribute + "' is needed where query, key and value have rank 3");
        }
        return heads;
    }

    static void linearAttention(InferenceContext c) {
        List<Dim> q = c.dims(0, 3);
        List<Dim> k = c.dims(1, 3);
        List<Dim> v = c.dims(2, 3);
        long queryHeads = heads(c, "q_num_heads", true);
        long keyHeads = heads(c, "kv_num_heads", true);
        Dim keySize = k == null ? Dim.UNKNOWN : Dims.floorDiv(k.get(2), keyHeads);
        Dim valueSize = v == null ? Dim.UNKNOWN : Dims.floorDiv(v.get(2), keyHeads);
        Dim batch = first(q, 0);
        c.set(0, c.element(0), List.of(batch, first(q, 1), Dims.mul(valueSize, queryHeads)));
        c.set(1, c.has(3) ? c.element(3) : c.element(0), List.of(batch, Dim.of(keyHeads), keySize, valueSize));
    }

    private static Dim first(@Nullable List<Dim> dims, int axis) {
        return dims == null ? Dim.UNKNOWN : dims.get(axis);
    }
}
