package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.RunServices;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** LinearClassifier and LinearRegressor. */
final class LinearModels {
    private LinearModels() {}

    /** One row of coefficients for each result, and what is added to it. */
    private record Weights(float[] coefficients, float[] intercepts, int results, int features) {
        /** Sums that go on side by side. */
        private static final int LANES = 4;

        static Weights of(Node node, int results, int features) {
            float[] coefficients = node.attributes().reals("coefficients");
            float[] intercepts = node.attributes().reals("intercepts");
            if (coefficients == null || coefficients.length != (long) results * features) {
                throw EngineException.invalidArgument(node.describe() + ": "
                        + (coefficients == null ? 0 : coefficients.length) + " coefficients for " + results
                        + " results of " + features + " features");
            }
            return new Weights(coefficients, intercepts == null ? new float[0] : intercepts, results, features);
        }

        void apply(RunServices run, double[] x, double[] results) {
            for (int i = 0; i < this.results; i++) {
                run.checkCancelled();
                results[i] = (i < intercepts.length ? intercepts[i] : 0) + product(x, i * features);
            }
        }

        private double product(double[] x, int at) {
            double a = 0;
            double b = 0;
            double c = 0;
            double d = 0;
            int k = 0;
            for (; k + LANES <= features; k += LANES) {
                a += x[k] * coefficients[at + k];
                b += x[k + 1] * coefficients[at + k + 1];
                c += x[k + 2] * coefficients[at + k + 2];
                d += x[k + 3] * coefficients[at + k + 3];
            }
            for (; k < features; k++) {
                a += x[k] * coefficients[at + k];
            }
            return a + b + (c + d);
        }
    }

    static ShapedKernel regressor(Node node) {
        int targets = (int) node.attributes().integer("targets", 1);
        PostTransform transform = PostTransform.of(node);
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            Weights weights = Weights.of(node, targets, rows.features());
            return rows.each((run, row, x, scratch) -> {
                double[] results = scratch.doubles(1, targets);
                weights.apply(run, x, results);
                transform.apply(results, targets);
                Elements.write(ElementType.FLOAT, run.output(0), row * targets, results, 0, targets);
            });
        };
    }

    static ShapedKernel classifier(Node node) {
        Classes classes = Classes.of(node, "classlabels_strings", "classlabels_ints");
        float[] coefficients = node.attributes().reals("coefficients");
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            int results = coefficients == null ? 0 : coefficients.length / Math.max(1, rows.features());
            Weights weights = Weights.of(node, results, rows.features());
            if (results < 1 || (results > 1 && results > classes.count())) {
                throw EngineException.invalidGraph(
                        node.describe() + ": " + classes.count() + " labels for " + results + " scores");
            }
            int width = Classes.width(context);
            boolean pair = results == 1 && classes.count() == 2;
            return rows.each((run, row, x, scratch) -> {
                double[] scores = scratch.doubles(1, Math.max(results, 2));
                weights.apply(run, x, scores);
                if (pair) {
                    double score = scores[0];
                    classes.writeLabel(run, row, score > 0 ? 1 : 0);
                    if (width > 0) {
                        classes.writePair(run, row, score, true, scores, width);
                    }
                } else {
                    classes.writeLabel(run, row, Classes.best(scores, results));
                    if (width > 0) {
                        classes.writeScores(run, row, scores, results, width);
                    }
                }
            });
        };
    }
}
