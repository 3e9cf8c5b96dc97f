package dev.millrace.pipelines;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/** Functions of a model's scores. */
public final class LabelScores {
    private LabelScores() {}

    /** Returns e to the power of each number, divided by their sum. */
    public static double[] softmax(float[] logits) {
        double most = Double.NEGATIVE_INFINITY;
        for (float logit : logits) {
            most = Math.max(most, logit);
        }
        double[] made = new double[logits.length];
        double sum = 0;
        for (int i = 0; i < made.length; i++) {
            made[i] = Math.exp(logits[i] - most);
            sum += made[i];
        }
        for (int i = 0; i < made.length; i++) {
            made[i] /= sum;
        }
        return made;
    }

    /** Returns the logistic function of a number. */
    public static double sigmoid(double logit) {
        return 1 / (1 + Math.exp(-logit));
    }

    /** Returns the index of the largest number; of equal ones, that of the first. */
    public static int argMax(float[] scores, int from, int count) {
        int best = 0;
        for (int i = 1; i < count; i++) {
            if (scores[from + i] > scores[from + best]) {
                best = i;
            }
        }
        return best;
    }

    /** Returns the labels of the {@code count} largest scores, the largest first; of equal scores, the first comes first. */
    public static List<ScoredLabel> top(double[] scores, int count, List<String> labels) {
        var kept = new PriorityQueue<Integer>((a, b) -> {
            int order = Double.compare(scores[a], scores[b]);
            return order != 0 ? order : Integer.compare(b, a);
        });
        for (int i = 0; i < scores.length; i++) {
            kept.add(i);
            if (kept.size() > count) {
                kept.remove();
            }
        }
        var top = new ArrayList<ScoredLabel>();
        while (!kept.isEmpty()) {
            int index = kept.remove();
            top.addFirst(new ScoredLabel(index, label(labels, index), scores[index]));
        }
        return List.copyOf(top);
    }

    /** Returns the label of an index; the index itself as text if there is no label. */
    public static String label(List<String> labels, int index) {
        return index < labels.size() ? labels.get(index) : Integer.toString(index);
    }
}
