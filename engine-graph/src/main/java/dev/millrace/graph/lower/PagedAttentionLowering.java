package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;

/**
 * Lowers PagedAttention (Kwon et al., 2023): the new steps of several texts are concatenated, and their keys and values
 * lie in blocks that a table assigns to the texts. It becomes a scatter of the new keys and values into the blocks, a
 * gather of those of each text, and an attention over texts that are padded to one length.
 */
final class PagedAttentionLowering {
    private static final int ENDS = 5;
    private static final int PASTS = 6;
    private static final int TABLE = 7;
    private static final int COSINES = 8;
    private static final int SLOTS = 10;
    private static final int SINKS = 11;
    private static final int QUERY_NORM = 12;

    private final Composer c;
    private final long heads;
    private final long keyHeads;
    private final Value blockSize;
    /**
     * The index of each text's first step among all steps, the number of its steps, and the number of its previous
     * steps.
     */
    private final Value starts;

    private final Value lengths;
    private final Value pasts;
    /** The text of each step, and the step's index among the text's new steps. */
    private final Value text;

    private final Value step;

    private PagedAttentionLowering(Composer c) {
        this.c = c;
        this.heads = c.attributes().integer("num_heads");
        this.keyHeads = c.attributes().integer("kv_num_heads");
        this.blockSize = scalar(c.extents(c.input(3), 1, 2));
        Value ends = c.cast(c.input(ENDS), ElementType.INT64);
        Value to = c.op(OpName.SLICE, ends, c.longs(1), c.longs(Long.MAX_VALUE));
        this.starts = c.op(OpName.SLICE, ends, c.longs(0), c.longs(-1));
        this.lengths = c.op(OpName.SUB, to, starts);
        this.pasts = c.cast(c.input(PASTS), ElementType.INT64);
        Value all = counted(scalar(c.extents(c.input(0), 0, 1)));
        Value isBehind = c.op(OpName.GREATER_OR_EQUAL, column(all), to);
        this.text = c.add(c.onnx(OpName.REDUCE_SUM, c.cast(isBehind, ElementType.INT64), c.longs(1))
                .with("keepdims", Attribute.of(0)));
        this.step = c.op(OpName.SUB, all, c.op(OpName.GATHER, starts, text));
    }

    static void write(Composer c) {
        c.refuse(!c.attributes().text("kv_cache_layout", "SEPARATE").equals("SEPARATE"), "a cache of keys alone");
        boolean quantised = !c.attributes().text("k_quant_type", "NONE").equals("NONE")
                || !c.attributes().text("v_quant_type", "NONE").equals("NONE");
        c.refuse(quantised || c.element(3) != c.element(0), "a cache of other numbers than queries");
        c.refuse(c.has(SINKS), "sinks of heads");
        c.refuse(c.attributes().integer("rotary_offset", 0) != 0, "a rotation that begins within a head");
        new PagedAttentionLowering(c).attend();
    }

    private void attend() {
        Value[] parts = parts();
        Value places = c.op(OpName.ADD, c.op(OpName.GATHER, pasts, text), step);
        boolean rotates = c.attributes().flag("do_rotary", false);
        for (int i = 0; i < 2; i++) {
            long own = i == 0 ? heads : keyHeads;
            Value normed = c.has(QUERY_NORM) ? normed(parts[i], QUERY_NORM + i, own) : parts[i];
            parts[i] = rotates ? rotated(normed, places, own) : normed;
        }
        Value slots = slots(places);
        Value keys = written(parts[1], 3, slots);
        Value values = written(parts[2], 4, slots);
        c.result(1, c.op(OpName.RESHAPE, keys, c.op(OpName.SHAPE, c.input(3))));
        c.result(2, c.op(OpName.RESHAPE, values, c.op(OpName.SHAPE, c.input(4))));
        Value totals = c.op(OpName.ADD, pasts, lengths);
        Value known = counted(most(totals));
        Value rows = known(known, keys);
        Value steps = counted(most(lengths));
        Value inText = c.op(OpName.MIN, c.op(OpName.ADD, column(starts), steps), last(parts[0]));
        NodeSpec spec = c.onnx(
                        OpName.ATTENTION,
                        24,
                        c.op(OpName.GATHER, parts[0], inText),
                        c.op(OpName.GATHER, keys, rows),
                        c.op(OpName.GATHER, values, rows),
                        seen(known, totals, steps))
                .with("q_num_heads", Attribute.of(heads))
                .with("kv_num_heads", Attribute.of(keyHeads))
                .with("softcap", Attribute.of(c.attributes().real("softcap", 0f)));
        Attribute scale = c.attributes().find("scale");
        Value attended = c.add(scale == null ? spec : spec.with("scale", scale));
        Value flat = c.op(OpName.RESHAPE, attended, c.concat(0, c.longs(-1), c.extents(attended, 2, 3)));
        c.result(c.op(OpName.GATHER, flat, c.op(OpName.ADD, c.op(OpName.MUL, text, most(lengths)), step)));
    }

    private Value scalar(Value one) {
        return c.op(OpName.RESHAPE, one, c.longs());
    }

    private Value column(Value vector) {
        return c.op(OpName.UNSQUEEZE, vector, c.longs(1));
    }

    private Value counted(Value end) {
        return c.op(OpName.RANGE, c.scalar(0), end, c.scalar(1));
    }

    private Value most(Value counts) {
        return c.add(c.onnx(OpName.REDUCE_MAX, c.concat(0, counts, c.longs(0))).with("keepdims", Attribute.of(0)));
    }

    /** Writes the index of the last row. */
    private Value last(Value matrix) {
        return c.op(OpName.SUB, scalar(c.extents(matrix, 0, 1)), c.scalar(1));
    }

    /** Returns queries, keys and values, a row for each step. */
    private Value[] parts() {
        if (c.has(1)) {
            return new Value[] {c.input(0), c.input(1), c.input(2)};
        }
        Value size = c.extents(c.input(3), 3, 4);
        Value ofKeys = c.op(OpName.MUL, size, c.longs(keyHeads));
        Value sizes = c.concat(0, c.op(OpName.MUL, size, c.longs(heads)), ofKeys, ofKeys);
        List<Value> parts = c.add(c.onnx(OpName.SPLIT, c.input(0), sizes).with("axis", Attribute.of(-1)), 3);
        return parts.toArray(Value[]::new);
    }

    private Value normed(Value rows, int scale, long own) {
        Value byHead = c.op(OpName.RESHAPE, rows, c.longs(0, own, -1));
        Value normed = c.add(c.onnx(OpName.RMS_NORMALIZATION, 23, byHead, c.input(scale))
                .with("epsilon", Attribute.of(c.attributes().real("qk_norm_epsilon", 1e-6f))));
        return c.op(OpName.RESHAPE, normed, c.op(OpName.SHAPE, rows));
    }

    private Value rotated(Value rows, Value places, long own) {
        Value one = c.op(OpName.UNSQUEEZE, rows, c.longs(0));
        NodeSpec spec = c.contributed(
                        OpName.ROTARY_EMBEDDING,
                        one,
                        c.op(OpName.UNSQUEEZE, places, c.longs(0)),
                        c.input(COSINES),
                        c.input(COSINES + 1))
                .with("num_heads", Attribute.of(own))
                .with("rotary_embedding_dim", Attribute.of(2 * c.extent(COSINES, 1)))
                .with("interleaved", Attribute.of(c.attributes().integer("rotary_interleaved", 0)));
        return c.op(OpName.SQUEEZE, c.add(spec), c.longs(0));
    }

    /** Returns the row of the flattened cache that each step is written to; negative for a step that is not written. */
    private Value slots(Value places) {
        if (c.has(SLOTS)) {
            return c.cast(c.input(SLOTS), ElementType.INT64);
        }
        Value block = c.op(OpName.DIV, places, blockSize);
        Value at = c.concat(1, column(text), column(block));
        Value number = c.op(OpName.GATHER_ND, c.cast(c.input(TABLE), ElementType.INT64), at);
        return inBlock(number, places);
    }

    private Value inBlock(Value number, Value places) {
        return c.op(OpName.ADD, c.op(OpName.MUL, number, blockSize), c.op(OpName.MOD, places, blockSize));
    }

    /** Returns the cache as a matrix with a row for each position of all blocks, the new rows written. */
    private Value written(Value rows, int cache, Value slots) {
        Value width = c.extents(rows, 1, 2);
        Value flat = c.op(OpName.RESHAPE, c.input(cache), c.concat(0, c.longs(-1), width));
        Value isKept = c.op(OpName.GREATER_OR_EQUAL, slots, c.scalar(0));
        Value to = c.add(c.onnx(OpName.COMPRESS, slots, isKept).with("axis", Attribute.of(0)));
        Value kept = c.add(c.onnx(OpName.COMPRESS, rows, isKept).with("axis", Attribute.of(0)));
        return c.op(OpName.SCATTER_ND, flat, column(to), kept);
    }

    /** Returns the rows of the flattened cache for each text; those after its end are arbitrary. */
    private Value known(Value places, Value cache) {
        Value table = c.cast(c.input(TABLE), ElementType.INT64);
        Value number = c.add(c.onnx(OpName.GATHER, table, c.op(OpName.DIV, places, blockSize))
                .with("axis", Attribute.of(1)));
        return c.op(OpName.MIN, c.op(OpName.MAX, inBlock(number, places), c.scalar(0)), last(cache));
    }

    /**
     * Returns the mask of the keys that each step attends to: none after its text's end, none after itself, none before
     * its window.
     */
    private Value seen(Value known, Value totals, Value steps) {
        Value keys = c.op(OpName.UNSQUEEZE, known, c.longs(0, 1));
        Value ends = c.op(OpName.UNSQUEEZE, totals, c.longs(1, 2));
        Value own = c.op(OpName.UNSQUEEZE, c.op(OpName.ADD, column(pasts), steps), c.longs(2));
        Value seen = c.op(OpName.LESS, keys, ends);
        if (c.attributes().flag("is_causal", true)) {
            seen = c.op(OpName.AND, seen, c.op(OpName.LESS_OR_EQUAL, keys, own));
        }
        long window = c.attributes().integer("local_window_size", -1);
        if (window >= 0) {
            seen = c.op(OpName.AND, seen, c.op(OpName.GREATER, c.op(OpName.ADD, keys, c.scalar(window)), own));
        }
        return c.op(OpName.UNSQUEEZE, seen, c.longs(1));
    }
}
