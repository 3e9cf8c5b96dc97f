package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;

/** The transform of a row's final scores. */
enum PostTransform {
    NONE,
    SOFTMAX,
    LOGISTIC,
    SOFTMAX_ZERO,
    PROBIT;

    static PostTransform of(Node node) {
        String name = node.attributes().text("post_transform", "NONE");
        for (PostTransform transform : values()) {
            if (transform.name().equals(name)) {
                return transform;
            }
        }
        throw EngineException.invalidGraph(node.describe() + ": post_transform '" + name + "'");
    }

    void apply(double[] scores, int count) {
        switch (this) {
            case NONE -> {}
            case LOGISTIC -> {
                for (int i = 0; i < count; i++) {
                    scores[i] = logistic(scores[i]);
                }
            }
            case PROBIT -> {
                for (int i = 0; i < count; i++) {
                    scores[i] = Math.sqrt(2) * inverseErf(2 * scores[i] - 1);
                }
            }
            case SOFTMAX, SOFTMAX_ZERO -> softmax(scores, count, this == SOFTMAX_ZERO);
        }
    }

    static double logistic(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    /** Applies softmax. With {@code keepsZeros} a score of zero stays zero and is not part of the sum. */
    private static void softmax(double[] scores, int count, boolean keepsZeros) {
        double max = Double.NEGATIVE_INFINITY;
        for (int i = 0; i < count; i++) {
            max = Math.max(max, scores[i]);
        }
        double sum = 0;
        for (int i = 0; i < count; i++) {
            scores[i] = keepsZeros && scores[i] == 0 ? 0 : Math.exp(scores[i] - max);
            sum += scores[i];
        }
        for (int i = 0; i < count && sum != 0; i++) {
            scores[i] /= sum;
        }
    }

    /** Winitzki's approximation of the inverse error function, which ONNX Runtime also uses. */
    private static double inverseErf(double x) {
        double log = Math.log((1 - x) * (1 + x));
        double v = 2 / (Math.PI * 0.147) + 0.5 * log;
        return Math.copySign(Math.sqrt(-v + Math.sqrt(v * v - log / 0.147)), x);
    }
}
