package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.kernel.RunServices;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Decision trees as parallel arrays. A node that is no leaf compares a feature and goes on to one of two nodes; a leaf
 * gives weights to targets.
 *
 * @param missingIsTrue whether a node's comparison holds for NaN
 * @param members the sets of values of membership nodes, in order and without negative zeros; empty for others
 * @param leafStarts where the weights of each node start, with one entry more at the end
 */
record Forest(
        int[] features,
        Mode[] modes,
        double[] splits,
        int[] whenTrue,
        int[] whenFalse,
        boolean[] missingIsTrue,
        double[][] members,
        int[] leafStarts,
        int[] targets,
        double[] weights,
        int[] roots) {

    /** Trees after which cancellation is looked at, which is done inside of deep ones, too. */
    private static final int TREES = 64;

    enum Mode {
        BRANCH_LEQ,
        BRANCH_LT,
        BRANCH_GTE,
        BRANCH_GT,
        BRANCH_EQ,
        BRANCH_NEQ,
        BRANCH_MEMBER,
        LEAF
    }

    enum Aggregate {
        AVERAGE,
        SUM,
        MIN,
        MAX
    }

    /** Adds up what leaves give to the targets of samples. */
    private static final class Scores {
        private final Aggregate aggregate;
        private final double[] scores;
        private final int targets;
        private final boolean sums;

        Scores(Aggregate aggregate, double[] scores, int targets) {
            this.aggregate = aggregate;
            this.scores = scores;
            this.targets = targets;
            sums = aggregate == Aggregate.SUM || aggregate == Aggregate.AVERAGE;
        }

        void begin(int samples) {
            Arrays.fill(scores, 0, samples * targets, start());
        }

        private double start() {
            return switch (aggregate) {
                case AVERAGE, SUM -> 0;
                case MIN -> Double.POSITIVE_INFINITY;
                case MAX -> Double.NEGATIVE_INFINITY;
            };
        }

        void add(Forest forest, int sample, int leaf) {
            int end = forest.leafStarts[leaf + 1];
            for (int i = forest.leafStarts[leaf]; i < end; i++) {
                int at = sample * targets + forest.targets[i];
                double weight = forest.weights[i];
                if (sums) {
                    scores[at] += weight;
                } else {
                    scores[at] =
                            aggregate == Aggregate.MIN ? Math.min(scores[at], weight) : Math.max(scores[at], weight);
                }
            }
        }

        void end(int samples, int trees) {
            double start = start();
            for (int i = 0; i < samples * targets; i++) {
                if (aggregate == Aggregate.AVERAGE) {
                    scores[i] /= trees;
                } else if (Double.isInfinite(start) && scores[i] == start) {
                    scores[i] = 0;
                }
            }
        }
    }

    /**
     * How a forest is walked by samples of so many features.
     *
     * @param descent null where nodes compare otherwise
     */
    record Walk(Forest forest, @Nullable Descent descent, int features) {
        static Walk of(Forest forest, @Nullable Descent descent, int features) {
            boolean fits = descent != null && descent.mostFeature() < features;
            return new Walk(forest, fits ? descent : null, features);
        }

        /** Scores of samples, before base values and transform; targets that no leaf names stay zero. */
        void score(RunServices run, double[] x, int samples, Aggregate aggregate, double[] scores, int targets) {
            var sums = new Scores(aggregate, scores, targets);
            sums.begin(samples);
            Descent fast = descent;
            boolean odd = fast != null && !Descent.areFinite(x, samples * features);
            int[] nodes = new int[Descent.TOGETHER];
            int[] roots = forest.roots;
            for (int tree = 0; tree < roots.length; ) {
                if (tree % TREES == 0) {
                    run.checkCancelled();
                }
                if (fast == null) {
                    for (int sample = 0; sample < samples; sample++) {
                        sums.add(forest, sample, forest.leaf(run, roots[tree], x, sample * features, features));
                    }
                    tree++;
                } else if (samples < Descent.TOGETHER && tree + Descent.TOGETHER <= roots.length) {
                    ofTrees(fast, x, odd, samples, tree, nodes, sums);
                    tree += Descent.TOGETHER;
                } else {
                    ofSamples(fast, x, odd, samples, tree, nodes, sums);
                    tree++;
                }
            }
            sums.end(samples, roots.length);
        }

        /** Four trees for each sample. */
        private void ofTrees(Descent fast, double[] x, boolean odd, int samples, int tree, int[] nodes, Scores sums) {
            int steps = fast.mostSteps(tree);
            for (int sample = 0; sample < samples; sample++) {
                System.arraycopy(fast.roots(), tree, nodes, 0, nodes.length);
                int at = sample * features;
                fast.leaves(steps, x, odd, at, at, at, at, nodes);
                for (int leaf : nodes) {
                    sums.add(forest, sample, fast.places()[leaf]);
                }
            }
        }

        /** Four samples at a time for one tree. */
        private void ofSamples(Descent fast, double[] x, boolean odd, int samples, int tree, int[] nodes, Scores sums) {
            int root = fast.roots()[tree];
            int steps = fast.depths()[tree];
            int sample = 0;
            for (; sample + Descent.TOGETHER <= samples; sample += Descent.TOGETHER) {
                Arrays.fill(nodes, root);
                int at = sample * features;
                fast.leaves(steps, x, odd, at, at + features, at + 2 * features, at + 3 * features, nodes);
                for (int i = 0; i < nodes.length; i++) {
                    sums.add(forest, sample + i, fast.places()[nodes[i]]);
                }
            }
            for (; sample < samples; sample++) {
                sums.add(forest, sample, fast.places()[fast.leaf(x, sample * features, root, odd)]);
            }
        }
    }

    private int leaf(RunServices run, int root, double[] x, int at, int count) {
        int node = root;
        for (int steps = 0; modes[node] != Mode.LEAF; steps++) {
            if (steps > modes.length) {
                throw EngineException.invalidGraph("a decision tree has a loop");
            }
            if (features[node] >= count) {
                throw EngineException.invalidArgument(
                        "a decision tree asks for feature " + features[node] + " of " + count);
            }
            run.checkCancelled(steps + 1);
            node = holds(node, x[at + features[node]]) ? whenTrue[node] : whenFalse[node];
        }
        return node;
    }

    private boolean holds(int node, double value) {
        if (Double.isNaN(value) && missingIsTrue[node]) {
            return true;
        }
        double split = splits[node];
        return switch (modes[node]) {
            case BRANCH_LEQ -> value <= split;
            case BRANCH_LT -> value < split;
            case BRANCH_GTE -> value >= split;
            case BRANCH_GT -> value > split;
            case BRANCH_EQ -> value == split;
            case BRANCH_NEQ -> value != split;
            // zeros of both signs are one
            case BRANCH_MEMBER -> Arrays.binarySearch(members[node], value + 0.0) >= 0;
            case LEAF -> throw new IllegalStateException("a leaf compares nothing");
        };
    }
}
