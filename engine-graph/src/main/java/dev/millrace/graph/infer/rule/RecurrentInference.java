package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import java.util.List;

/** RNN, GRU and LSTM, and the one with attention. */
final class RecurrentInference {
    private RecurrentInference() {}

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
        if (c.op().equals("AttnLSTM")) {
            attention(c, directions, hidden, batch);
        }
        OperandChecks.shape(c, 4, batch);
        OperandChecks.shape(c, 5, state);
        OperandChecks.shape(c, 6, state);
        c.set(1, c.element(0), state);
        c.set(2, c.element(0), state);
    }

    /** Weights, biases and peepholes: rows for each gate, one below the other. */
    private static void parameters(InferenceContext c, Dim directions, Dim hidden) {
        int gates = switch (c.op()) {
            case OpName.LSTM, "AttnLSTM" -> 4;
            case OpName.GRU -> 3;
            default -> 1;
        };
        Dim rows = Dims.mul(hidden, gates);
        Dim seen = !c.op().equals("AttnLSTM") ? Dims.ZERO : c.has(13) ? c.dim(13, 2) : c.dim(11, 2);
        OperandChecks.shape(c, 1, directions, rows, Dims.add(c.dim(0, 2), seen));
        OperandChecks.shape(c, 2, directions, rows, hidden);
        OperandChecks.shape(c, 3, directions, Dims.mul(rows, 2));
        OperandChecks.shape(c, 7, directions, Dims.mul(hidden, 3));
    }

    /** Weights of queries and keys, of scores, the memory with its lengths, and weights of what is seen. */
    private static void attention(InferenceContext c, Dim directions, Dim hidden, Dim batch) {
        c.dims(8, 3);
        c.dims(11, 3);
        Dim width = c.dim(8, 2);
        Dim depth = c.dim(11, 2);
        OperandChecks.shape(c, 8, directions, hidden, width);
        OperandChecks.shape(c, 9, directions, depth, width);
        OperandChecks.shape(c, 10, directions, width);
        OperandChecks.shape(c, 11, batch, c.dim(11, 1), depth);
        OperandChecks.shape(c, 12, batch);
        if (c.has(13)) {
            c.dims(13, 3);
            OperandChecks.shape(c, 13, directions, Dims.add(hidden, depth), c.dim(13, 2));
        }
    }

    private static Dim directions(InferenceContext c) {
        return c.attributes().text("direction", "forward").equals("bidirectional") ? Dim.of(2) : Dims.ONE;
    }
}
