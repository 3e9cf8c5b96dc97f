package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier. */
final class Trees {
    private Trees() {}

    static ShapedKernel ensemble(Node node) {
        Forest forest = ForestReader.numbered(node);
        var aggregate = choose(node, "aggregate_function", 1, Forest.Aggregate.values());
        var transform = choose(node, "post_transform", 0, PostTransform.values());
        return regression(node, forest, aggregate, transform);
    }

    private static <E> E choose(Node node, String attribute, long otherwise, E[] values) {
        long code = node.attributes().integer(attribute, otherwise);
        if (code < 0 || code >= values.length) {
            throw EngineException.invalidGraph(node.describe() + ": " + attribute + " " + code);
        }
        return values[(int) code];
    }

    static ShapedKernel regressor(Node node) {
        String name = node.attributes().text("aggregate_function", "SUM");
        Forest.Aggregate aggregate;
        try {
            aggregate = Forest.Aggregate.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw EngineException.invalidGraph(node.describe() + ": aggregate_function '" + name + "'");
        }
        return regression(node, ForestReader.named(node, "target"), aggregate, PostTransform.of(node));
    }

    private static ShapedKernel regression(
            Node node, Forest forest, Forest.Aggregate aggregate, PostTransform transform) {
        int targets = ArrayExtents.toInt("targets", node.attributes().integer("n_targets", 1));
        checkTargets(node, forest, targets);
        double[] base = ForestReader.reals(node, "base_values");
        Descent descent = Descent.of(forest);
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            ElementType to = context.outputType(0);
            Forest.Walk walk = Forest.Walk.of(forest, descent, rows.features());
            return rows.together((run, first, count, x, scratch) -> {
                int results = ArrayExtents.product("scores of samples", count, targets);
                double[] all = scratch.doubles(0, results);
                walk.score(run, x, count, aggregate, all, targets);
                finish(all, results, targets, base, transform, scratch.doubles(1, targets));
                Elements.write(to, run.output(0), first * targets, all, 0, results);
            });
        };
    }

    /** Adds base values to the scores of each sample, and transforms them. */
    private static void finish(
            double[] all,
            int results,
            int targets,
            double @Nullable [] base,
            PostTransform transform,
            double[] scores) {
        if (base == null && transform == PostTransform.NONE) {
            return;
        }
        for (int at = 0; at < results; at += targets) {
            System.arraycopy(all, at, scores, 0, targets);
            add(base, scores, targets);
            transform.apply(scores, targets);
            System.arraycopy(scores, 0, all, at, targets);
        }
    }

    /** Makes the results of one sample from its scores. */
    @FunctionalInterface
    private interface ScoreTask {
        void run(LaunchContext run, long row, double[] scores);
    }

    private static Launch eachScored(
            SampleMatrix rows, Forest.Walk walk, Forest.Aggregate aggregate, int targets, ScoreTask task) {
        return rows.together((run, first, count, x, scratch) -> {
            double[] all = scratch.doubles(0, ArrayExtents.product("scores of samples", count, targets));
            double[] scores = scratch.doubles(1, targets);
            walk.score(run, x, count, aggregate, all, targets);
            for (int i = 0; i < count; i++) {
                System.arraycopy(all, i * targets, scores, 0, targets);
                task.run(run, first + i, scores);
            }
        });
    }

    private static void checkTargets(Node node, Forest forest, int targets) {
        int highest = Arrays.stream(forest.targets()).max().orElse(0);
        if (highest >= targets) {
            throw EngineException.invalidGraph(
                    node.describe() + ": a leaf gives to target " + highest + ", but there are " + targets);
        }
    }

    private static void add(double @Nullable [] base, double[] scores, int count) {
        for (int i = 0; base != null && i < count; i++) {
            scores[i] += base[base.length == 1 ? 0 : i];
        }
    }

    static ShapedKernel classifier(Node node) {
        Forest forest = ForestReader.named(node, "class");
        Classes classes = Classes.of(node, "classlabels_strings", "classlabels_int64s");
        int count = classes.count();
        checkTargets(node, forest, count);
        double[] base = ForestReader.reals(node, "base_values");
        Descent descent = Descent.of(forest);
        boolean pair = count == 2 && Arrays.stream(forest.targets()).distinct().count() == 1;
        boolean isShare = Arrays.stream(forest.weights()).allMatch(weight -> weight >= 0);
        int only = pair ? forest.targets()[0] : 0;
        return context -> {
            SampleMatrix rows = SampleMatrix.of(context, 0);
            int width = Classes.width(context);
            Forest.Walk walk = Forest.Walk.of(forest, descent, rows.features());
            return eachScored(rows, walk, Forest.Aggregate.SUM, count, (run, row, scores) -> {
                add(base, scores, count);
                if (pair) {
                    double score = scores[only];
                    classes.writeLabel(run, row, score > (isShare ? 0.5 : 0) ? 1 : 0);
                    if (width > 0) {
                        classes.writePair(run, row, score, isShare, scores, width);
                    }
                } else {
                    classes.writeLabel(run, row, Classes.best(scores, count));
                    if (width > 0) {
                        classes.writeScores(run, row, scores, count, width);
                    }
                }
            });
        };
    }
}
