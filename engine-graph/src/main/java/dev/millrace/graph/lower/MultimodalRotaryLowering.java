package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Lowers MRotaryEmbedding, a rotary embedding with three positions for each token (temporal, vertical and horizontal).
 * Each pair of elements is rotated by the angle of one of them.
 */
final class MultimodalRotaryLowering {
    private static final int STREAMS = 3;
    private static final int POSITIONS = 1;
    private static final int COS = 2;
    private static final int SIN = 3;
    /** The first opset in which RotaryEmbedding takes angles for each token. */
    private static final int ROTARY_OPSET = 23;

    private static final int LONGEST = 1 << 20;

    private MultimodalRotaryLowering() {}

    static void write(Composer c) {
        Attributes attributes = c.attributes();
        long[] sections = attributes.integers("mrope_section");
        long layout = attributes.integer("mrope_layout", 0);
        if (sections == null
                || sections.length != STREAMS
                || Arrays.stream(sections).anyMatch(length -> length < 0 || length > LONGEST)) {
            throw c.refuse("attribute 'mrope_section' is " + Arrays.toString(sections) + " where three lengths of 0 to "
                    + LONGEST + " are expected");
        }
        c.refuse(layout < 0 || layout > 1, "attribute 'mrope_layout' is " + layout + "; known are 0 and 1");
        long[][] columns = columns(sections, layout == 1);
        Value cos = angles(c, COS, columns);
        Value sin = angles(c, SIN, columns);
        c.result(c.add(c.onnx(OpName.ROTARY_EMBEDDING, ROTARY_OPSET, c.input(0), cos, sin)
                .with(Attributes.NONE
                        .with("interleaved", Attribute.of(attributes.integer("interleaved", 0)))
                        .with("num_heads", Attribute.of(attributes.integer("num_heads", 0)))
                        .with("rotary_embedding_dim", Attribute.of(attributes.integer("rotary_embedding_dim", 0))))));
    }

    /** Returns the columns of angles for each of the three positions: one range after the other, or interleaved. */
    private static long[][] columns(long[] sections, boolean byTurns) {
        int count = (int) Arrays.stream(sections).sum();
        List<List<Long>> columns = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (long i = 0; i < count; i++) {
            int stream = i < sections[0] ? 0 : i < sections[0] + sections[1] ? 1 : 2;
            if (byTurns) {
                stream = (int) (i % STREAMS);
                stream = i < STREAMS * sections[stream] ? stream : 0;
            }
            columns.get(stream).add(i);
        }
        return columns.stream()
                .map(of -> of.stream().mapToLong(Long::longValue).toArray())
                .toArray(long[][]::new);
    }

    /** Writes a row of angles for each token, assembled from the table's rows for its three positions. */
    private static Value angles(Composer c, int table, long[][] columns) {
        var parts = new ArrayList<Value>();
        var order = new ArrayList<Long>();
        for (int stream = 0; stream < STREAMS; stream++) {
            if (columns[stream].length > 0) {
                Value part = c.add(c.onnx(OpName.GATHER, c.input(table), c.longs(columns[stream]))
                        .with("axis", Attribute.of(1)));
                Value positions = c.op(OpName.GATHER, c.input(POSITIONS), c.scalar(stream));
                parts.add(c.op(OpName.GATHER, part, positions));
                Arrays.stream(columns[stream]).forEach(order::add);
            }
        }
        Value together = c.concat(-1, parts.toArray(new Value[0]));
        long[] places = new long[order.size()];
        for (int i = 0; i < places.length; i++) {
            places[Math.toIntExact(order.get(i))] = i;
        }
        Value ordered = c.add(c.onnx(OpName.GATHER, together, c.longs(places)).with("axis", Attribute.of(-1)));
        float scale = c.attributes().real("scale", 1);
        if (scale == 1) {
            return ordered;
        }
        Value scaled = c.op(OpName.MUL, c.cast(ordered, ElementType.FLOAT), c.scalar(ElementType.FLOAT, scale));
        return c.op(OpName.CAST_LIKE, scaled, ordered);
    }
}
