package dev.millrace.graph.infer;

import dev.millrace.graph.ir.Dim;
import java.util.List;

/** RNN, GRU and LSTM. */
final class RecurrentRules {
    private RecurrentRules() {}

    static void recurrent(InferenceContext c) {
        c.dims(0, 3);
        c.dims(1, 3);
        c.dims(2, 3);
        boolean batchFirst = c.opset() >= 14 && c.attributes().flag("layout", false);
        Dim steps = c.dim(0, batchFirst ? 1 : 0);
        Dim batch = c.dim(0, batchFirst ? 0 : 1);
        Dim directions = directions(c);
        Dim hidden = c.attributes().has("hidden_size") ? Dim.of(c.attributes().integer("hidden_size")) : c.dim(2, -1);
        c.expect(1, 2, c.dim(0, 2));
        c.expect(2, 2, hidden);
        c.expect(1, 0, directions);
        c.set(
                0,
                c.element(0),
                batchFirst ? List.of(batch, steps, directions, hidden) : List.of(steps, directions, batch, hidden));
        List<Dim> state = batchFirst ? List.of(batch, directions, hidden) : List.of(directions, batch, hidden);
        c.set(1, c.element(0), state);
        c.set(2, c.element(0), state);
    }

    private static Dim directions(InferenceContext c) {
        String direction = c.attributes().text("direction", "forward");
        return switch (direction) {
            case "forward", "reverse" -> Dims.ONE;
            case "bidirectional" -> Dim.of(2);
            default ->
                throw c.refuse("attribute 'direction' is '" + direction
                        + "' where forward, reverse or bidirectional is expected");
        };
    }
}
