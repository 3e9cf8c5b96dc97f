package dev.millrace.providers.cpu.ml;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.kernel.RunContext;
import java.util.Arrays;

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

    /** Scores of one sample, before base values and transform; targets that no leaf names stay zero. */
    void score(RunContext run, double[] x, int count, Aggregate aggregate, double[] scores, int scoreCount) {
        double start = switch (aggregate) {
            case AVERAGE, SUM -> 0;
            case MIN -> Double.POSITIVE_INFINITY;
            case MAX -> Double.NEGATIVE_INFINITY;
        };
        Arrays.fill(scores, 0, scoreCount, start);
        for (int tree = 0; tree < roots.length; tree++) {
            if (tree % TREES == 0) {
                run.checkCancelled();
            }
            int leaf = leaf(run, roots[tree], x, count);
            for (int i = leafStarts[leaf]; i < leafStarts[leaf + 1]; i++) {
                int target = targets[i];
                scores[target] = switch (aggregate) {
                    case AVERAGE, SUM -> scores[target] + weights[i];
                    case MIN -> Math.min(scores[target], weights[i]);
                    case MAX -> Math.max(scores[target], weights[i]);
                };
            }
        }
        for (int i = 0; i < scoreCount; i++) {
            if (aggregate == Aggregate.AVERAGE) {
                scores[i] /= roots.length;
            } else if (Double.isInfinite(start) && scores[i] == start) {
                scores[i] = 0;
            }
        }
    }

    private int leaf(RunContext run, int root, double[] x, int count) {
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
            node = holds(node, x[features[node]]) ? whenTrue[node] : whenFalse[node];
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
