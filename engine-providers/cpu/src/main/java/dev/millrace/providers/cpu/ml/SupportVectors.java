package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.RunServices;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** SVMRegressor and SVMClassifier, as in libsvm: pairwise decisions, votes, and probabilities from both. */
final class SupportVectors {
    private final Node node;
    private final String kernel;
    private final double gamma;
    private final double offset;
    private final double degree;
    private final float[] vectors;
    private final float[] coefficients;
    private final float[] rho;
    private volatile @Nullable Vectors held;

    private SupportVectors(Node node) {
        Attributes attributes = node.attributes();
        this.node = node;
        this.kernel = attributes.text("kernel_type", "LINEAR");
        float[] parameters = listed("kernel_params");
        this.gamma = parameters.length > 0 ? parameters[0] : 0;
        this.offset = parameters.length > 1 ? parameters[1] : 0;
        this.degree = parameters.length > 2 ? parameters[2] : 0;
        this.vectors = listed("support_vectors");
        this.coefficients = listed("coefficients");
        this.rho = listed("rho");
        if (rho.length == 0) {
            throw EngineException.invalidGraph(node.describe() + ": 'rho' is missing");
        }
    }

    private float[] listed(String name) {
        float[] values = node.attributes().reals(name);
        return values == null ? new float[0] : values;
    }

    /** Computes the kernel function of a sample and each of several vectors. */
    private void similarities(RunServices run, double[] x, Vectors others, int count, double[] results) {
        if (kernel.equals("RBF")) {
            others.squaredDistances(run, x, results);
        } else {
            others.products(run, x, results);
        }
        switch (kernel) {
            case "LINEAR" -> {}
            case "POLY" -> replace(results, count, dot -> Math.pow(gamma * dot + offset, degree));
            case "SIGMOID" -> replace(results, count, dot -> Math.tanh(gamma * dot + offset));
            case "RBF" -> replace(results, count, distance -> Math.exp(-gamma * distance));
            default -> throw EngineException.invalidGraph(node.describe() + ": kernel_type '" + kernel + "'");
        }
    }

    private static void replace(double[] numbers, int count, DoubleUnaryOperator function) {
        for (int i = 0; i < count; i++) {
            numbers[i] = function.applyAsDouble(numbers[i]);
        }
    }

    /**
     * Returns the vectors that samples of so many features are compared with, created once as long as that number
     * stays.
     */
    private Vectors vectors(float[] rows, int count, int features) {
        Vectors known = held;
        if (known == null || known.features() != features) {
            known = Vectors.of(rows, count, features);
            held = known;
        }
        return known;
    }

    private void check(boolean fits, int features) {
        if (!fits) {
            throw EngineException.invalidArgument(
                    node.describe() + ": vectors and coefficients do not fit " + features + " features");
        }
    }

    static ShapedKernel regressor(Node node) {
        var svm = new SupportVectors(node);
        int supports = (int) node.attributes().integer("n_supports", 0);
        boolean oneClass = node.attributes().flag("one_class", false);
        PostTransform transform = PostTransform.of(node);
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            int features = rows.features();
            svm.check(
                    supports > 0
                            ? svm.vectors.length >= (long) supports * features && svm.coefficients.length >= supports
                            : svm.coefficients.length >= features,
                    features);
            boolean direct = supports == 0;
            int count = direct ? 1 : supports;
            Vectors others = svm.vectors(direct ? svm.coefficients : svm.vectors, count, features);
            return rows.each((run, row, x, scratch) -> {
                double[] result = scratch.doubles(1, 1);
                double[] similarities = scratch.doubles(2, count);
                svm.similarities(run, x, others, count, similarities);
                double sum = svm.rho[0];
                for (int i = 0; i < count; i++) {
                    sum += (direct ? 1 : svm.coefficients[i]) * similarities[i];
                }
                result[0] = oneClass ? (sum > 0 ? 1 : -1) : sum;
                transform.apply(result, 1);
                Elements.write(ElementType.FLOAT, run.output(0), row, result, 0, 1);
            });
        };
    }

    static ShapedKernel classifier(Node node) {
        var svm = new SupportVectors(node);
        Classes classes = Classes.of(node, "classlabels_strings", "classlabels_ints");
        long[] perClass = node.attributes().integers("vectors_per_class");
        return perClass == null || perClass.length == 0 || svm.vectors.length == 0
                ? svm.linear(classes)
                : svm.pairwise(classes, perClass);
    }

    /**
     * Returns the kernel of a linear classifier, with one row of coefficients for each class. Of two classes the second
     * wins by a score that is large enough.
     */
    private ShapedKernel linear(Classes classes) {
        int count = classes.count();
        boolean positive = true;
        for (float coefficient : coefficients) {
            positive &= coefficient >= 0;
        }
        double enough = positive ? 0.5 : Double.MIN_VALUE;
        boolean pair = count == 2 && listed("prob_a").length == 0;
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            check(coefficients.length == (long) count * rows.features(), rows.features());
            int width = Classes.width(context);
            Vectors others = vectors(coefficients, count, rows.features());
            return rows.each((run, row, x, scratch) -> {
                double[] scores = scratch.doubles(1, count);
                similarities(run, x, others, count, scores);
                for (int i = 0; i < count; i++) {
                    scores[i] += rho[0];
                }
                int best = Classes.best(scores, count);
                classes.writeLabel(run, row, pair && scores[best] >= enough ? 1 : best);
                if (width > 0) {
                    classes.writeScores(run, row, scores, count, width);
                }
            });
        };
    }

    private ShapedKernel pairwise(Classes classes, long[] perClass) {
        int count = perClass.length;
        int pairs = count * (count - 1) / 2;
        int total = Math.toIntExact(Arrays.stream(perClass).sum());
        int[] starts = new int[count + 1];
        for (int i = 0; i < count; i++) {
            starts[i + 1] = starts[i] + Math.toIntExact(perClass[i]);
        }
        float[] slopes = listed("prob_a");
        float[] shifts = listed("prob_b");
        boolean probable = slopes.length > 0;
        if (count > classes.count()
                || rho.length < pairs
                || coefficients.length < (long) total * (count - 1)
                || (probable && (slopes.length < pairs || shifts.length < pairs))) {
            throw EngineException.invalidGraph(node.describe() + ": its tables do not fit " + count + " classes");
        }
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            check(vectors.length == (long) total * rows.features(), rows.features());
            int width = Classes.width(context);
            Vectors others = vectors(vectors, total, rows.features());
            return rows.each((run, row, x, scratch) -> {
                double[] decisions = scratch.doubles(1, Math.max(pairs, 2));
                double[] similarities = scratch.doubles(2, total);
                double[] votes = scratch.doubles(3, count);
                similarities(run, x, others, total, similarities);
                decide(run, similarities, starts, count, total, decisions, votes);
                classes.writeLabel(run, row, Classes.best(votes, count));
                if (probable) {
                    double[] shares = scratch.doubles(4, count);
                    PairwiseShares.solve(run, decisions, slopes, shifts, count, shares);
                    if (width > 0) {
                        classes.writeScores(run, row, shares, count, width);
                    }
                    return;
                }
                if (width > 0 && count == 2) {
                    boolean isShare = classes.transform() != PostTransform.NONE;
                    classes.writePair(run, row, decisions[0], isShare, decisions, width);
                } else if (width > 0) {
                    classes.writeScores(run, row, decisions, Math.min(width, pairs), width);
                }
            });
        };
    }

    /**
     * Computes the decision of each pair of classes, in order. A positive decision is a vote for the first class of the
     * pair.
     */
    private void decide(
            RunServices run,
            double[] similarities,
            int[] starts,
            int count,
            int total,
            double[] decisions,
            double[] votes) {
        Arrays.fill(votes, 0, count, 0);
        int pair = 0;
        for (int i = 0; i < count; i++) {
            run.checkCancelled();
            for (int j = i + 1; j < count; j++) {
                double sum = rho[pair];
                for (int k = starts[i]; k < starts[i + 1]; k++) {
                    sum += coefficients[(j - 1) * total + k] * similarities[k];
                }
                for (int k = starts[j]; k < starts[j + 1]; k++) {
                    sum += coefficients[i * total + k] * similarities[k];
                }
                decisions[pair++] = sum;
                votes[sum > 0 ? i : j]++;
            }
        }
    }
}
