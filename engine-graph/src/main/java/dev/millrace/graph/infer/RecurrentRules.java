package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Dim;
import java.util.List;

/** RNN, GRU and LSTM. */
final class RecurrentRules {
    private RecurrentRules() {}

    static void recurrent(InferenceContext c) {
        float clip = c.attributes().real("clip", Float.POSITIVE_INFINITY);
        if (!(clip >= 0)) {
            throw c.refuse("attribute 'clip' is " + clip
                    + "; it is the largest magnitude of what goes into activations," + " and not negative");
        }
        c.dims(0, 3);
        c.dims(1, 3);
        c.dims(2, 3);
        boolean batchFirst = c.opset() >= 14 && c.attributes().flag("layout", false);
        Dim steps = c.dim(0, batchFirst ? 1 : 0);
        Dim batch = c.dim(0, batchFirst ? 0 : 1);
        Dim directions = directions(c);
        Dim hidden = c.attributes().has("hidden_size") ? Dim.of(c.attributes().integer("hidden_size")) : c.dim(2, -1);
        c.set(
                0,
                c.element(0),
                batchFirst ? List.of(batch, steps, directions, hidden) : List.of(steps, directions, batch, hidden));
        List<Dim> state = batchFirst ? List.of(batch, directions, hidden) : List.of(directions, batch, hidden);
        parameters(c, directions, hidden);
        Operands.shape(c, 4, batch);
        Operands.shape(c, 5, state);
        Operands.shape(c, 6, state);
        c.set(1, c.element(0), state);
        c.set(2, c.element(0), state);
    }

    /** Weights, biases and peepholes: rows for each gate, one below the other. */
    private static void parameters(InferenceContext c, Dim directions, Dim hidden) {
        int gates = switch (c.op()) {
            case "LSTM" -> 4;
            case "GRU" -> 3;
            default -> 1;
        };
        Dim rows = Dims.mul(hidden, gates);
        Operands.shape(c, 1, directions, rows, c.dim(0, 2));
        Operands.shape(c, 2, directions, rows, hidden);
        Operands.shape(c, 3, directions, Dims.mul(rows, 2));
        Operands.shape(c, 7, directions, Dims.mul(hidden, 3));
    }

    private static Dim directions(InferenceContext c) {
        return c.attributes().text("direction", "forward").equals("bidirectional") ? Dim.of(2) : Dims.ONE;
    }
}
