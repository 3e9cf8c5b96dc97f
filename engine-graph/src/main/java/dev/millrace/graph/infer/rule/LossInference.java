package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import java.util.ArrayList;
import java.util.List;

/** Losses of classification. */
final class LossInference {
    private LossInference() {}

    static void loss(InferenceContext c) {
        List<Dim> scores = c.dims(0, 2, Integer.MAX_VALUE);
        List<Dim> target = c.dims(1, 1, Integer.MAX_VALUE);
        if (scores != null && target != null && scores.size() != target.size() + 1) {
            throw c.refuse("scores of shape " + scores + " do not fit a target of shape " + target);
        }
        Dim classes = scores == null ? Dim.UNKNOWN : scores.get(1);
        OperandChecks.shape(c, 1, scores == null ? null : labels(scores));
        OperandChecks.shape(c, 2, classes);
        String reduction = c.attributes().text("reduction", "mean");
        c.set(0, c.element(0), reduction.equals("none") ? target : List.of());
        c.set(1, c.tensor(0));
    }

    /** The shape of the scores without the axis of the classes. */
    private static List<Dim> labels(List<Dim> scores) {
        var labels = new ArrayList<>(scores);
        labels.remove(1);
        return labels;
    }
}
