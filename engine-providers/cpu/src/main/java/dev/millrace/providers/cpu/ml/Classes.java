package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.util.List;

/** The labels of a classifier, and how its two outputs are written: a label and scores for each sample. */
record Classes(List<Object> labels, PostTransform transform) {
    static Classes of(Node node, String texts, String numbers) {
        return new Classes(Maps.keys(node, texts, numbers), PostTransform.of(node));
    }

    int count() {
        return labels.size();
    }

    /** How many scores a sample has in the output. */
    static int width(BindContext context) {
        return context.hasOutput(1) ? (int) context.outputShape(1).dimAt(-1) : 0;
    }

    void writeLabel(LaunchContext run, long row, int index) {
        if (labels.get(index) instanceof String text) {
            run.outputStrings(0)[(int) row] = text;
        } else {
            Elements.setLong(ElementType.INT64, run.output(0), row, (Long) labels.get(index));
        }
    }

    static int best(double[] scores, int count) {
        int best = 0;
        for (int i = 1; i < count; i++) {
            if (scores[i] > scores[best]) {
                best = i;
            }
        }
        return best;
    }

    /** Transforms and writes {@code count} scores. */
    void writeScores(LaunchContext run, long row, double[] scores, int count, int width) {
        transform.apply(scores, count);
        Elements.write(ElementType.FLOAT, run.output(1), row * width, scores, 0, Math.min(count, width));
    }

    /**
     * Writes the one score of two classes as a pair.
     *
     * @param isShare whether the score is the share of the second class, so that the first has the rest of one
     */
    void writePair(LaunchContext run, long row, double score, boolean isShare, double[] pair, int width) {
        int count = 2;
        if (transform == PostTransform.PROBIT) {
            pair[0] = score;
            count = 1;
            transform.apply(pair, count);
        } else if (transform == PostTransform.LOGISTIC) {
            pair[0] = PostTransform.logistic(-score);
            pair[1] = PostTransform.logistic(score);
        } else {
            pair[0] = isShare ? 1 - score : -score;
            pair[1] = score;
        }
        Elements.write(ElementType.FLOAT, run.output(1), row * width, pair, 0, Math.min(count, width));
    }
}
