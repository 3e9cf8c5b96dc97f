package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;

/** FlexAttention: attention whose scores and probabilities go through graphs of its own. */
final class FlexAttentionLowering {
    private static final int HEADS = 1;
    private static final int SIZE = 3;
    /** More are nobody's; a place of its own is kept for each. */
    private static final long MOST_HEADS = 1 << 20;

    private FlexAttentionLowering() {}

    static void write(Composer c) {
        ElementType type = c.element(0);
        ElementType wide = type == ElementType.DOUBLE ? ElementType.DOUBLE : ElementType.FLOAT;
        ElementType precise = c.elementAttribute("softmax_precision", wide);
        Value keys = c.transpose(c.cast(ofQueries(c, 1), precise), 0, 1, 3, 2);
        Value products = c.op(OpName.MATMUL, c.cast(c.input(0), precise), keys);
        Value scores = through(c, "score_mod", c.op(OpName.MUL, products, c.scalar(precise, scale(c))));
        Value softmax = c.add(c.onnx(OpName.SOFTMAX, scores).with("axis", Attribute.of(-1)));
        Value probabilities = through(c, "prob_mod", softmax);
        c.result(c.cast(c.op(OpName.MATMUL, probabilities, c.cast(ofQueries(c, 2), precise)), type));
    }

    private static Value through(Composer c, String graph, Value value) {
        return c.attributes().has(graph) ? c.body(c.attributes().graph(graph), value) : value;
    }

    private static double scale(Composer c) {
        return c.attributes().has("scale") ? c.attributes().real("scale", 1) : 1 / Math.sqrt(c.extent(0, SIZE));
    }

    /** Keys or values of each head of the queries, where neighbouring ones share theirs. */
    private static Value ofQueries(Composer c, int input) {
        SymbolicShape queries = c.input(0).shape();
        SymbolicShape shape = c.input(input).shape();
        if (queries != null && shape != null && queries.dim(HEADS).equals(shape.dim(HEADS))) {
            return c.input(input);
        }
        long heads = c.extent(0, HEADS);
        long shared = c.extent(input, HEADS);
        c.refuse(
                shared == 0 || heads % shared != 0 || heads > MOST_HEADS,
                heads + " heads of queries for " + shared + " of keys and values");
        long[] places = new long[(int) heads];
        for (int i = 0; i < places.length; i++) {
            places[i] = i / (heads / shared);
        }
        return c.add(c.onnx(OpName.GATHER, c.input(input), c.longs(places)).with("axis", Attribute.of(HEADS)));
    }
}
