package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.attention.ScoreOutput.Stage;
import dev.millrace.providers.cpu.product.RowKernels;
import dev.millrace.providers.cpu.reduce.SoftmaxKernel;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Softmax(scale · Q · Kᵀ, capped, plus bias) · V. An item is a block of queries of one head.
 *
 * @param out where the rows of the output lie, but for their size
 * @param sink a further score of each head, whose share of the probabilities is dropped; null for none
 * @param scoresKept null where the scores are no output
 */
record ScaledDotProductTask(
        HeadLayout out,
        HeadSource q,
        HeadSource k,
        HeadSource v,
        ScoreBias bias,
        float scale,
        float softcap,
        @Nullable ScoreSink sink,
        @Nullable ScoreOutput scoresKept,
        ElementType type)
        implements RangeTask {
    private static final int QUERIES = 64;

    long items() {
        return (long) q.batch() * q.heads() * blocks();
    }

    private int blocks() {
        return Math.ceilDiv(q.steps(), QUERIES);
    }

    @Override
    public void run(LaunchContext launch, long from, long to, Scratch scratch) {
        for (long item = from; item < to; item++) {
            launch.checkCancelled();
            long head = item / blocks();
            block(
                    launch,
                    (int) (head / q.heads()),
                    (int) (head % q.heads()),
                    (int) (item % blocks()) * QUERIES,
                    scratch);
        }
    }

    private void block(LaunchContext launch, int b, int head, int first, Scratch scratch) {
        int count = Math.min(QUERIES, q.steps() - first);
        int depth = padded(q.size());
        int keys = k.steps();
        int width = padded(keys);
        int kvHead = head / (q.heads() / k.heads());
        float[][] scores = scratch.rows(0, QUERIES, width);
        float[] queries = scratch.zeroedFloats(0, QUERIES * depth);
        for (int r = 0; r < count; r++) {
            Arrays.fill(scores[r], 0, width, 0f);
            q.readRow(launch, b, head, first + r, queries, r * depth);
            for (int i = r * depth; i < (r + 1) * depth; i++) {
                queries[i] *= scale;
            }
        }
        float[][] panel = scratch.rows(1, Math.max(depth, width), Math.max(keys, v.size()));
        k.readTransposed(launch, b, kvHead, panel, depth, scratch, 1);
        RowKernels.accumulate(scores, count, queries, depth, panel, depth, keys);
        float[] chances = scratch.zeroedFloats(2, QUERIES * width);
        for (int r = 0; r < count; r++) {
            probabilities(launch, b, head, first + r, scores[r], scratch);
            System.arraycopy(scores[r], 0, chances, r * width, keys);
        }
        for (int step = 0; step < width; step++) {
            if (step < keys) {
                v.readRow(launch, b, kvHead, step, panel[step], 0);
            } else {
                Arrays.fill(panel[step], 0, v.size(), 0f);
            }
        }
        float[][] sums = scratch.rows(2, QUERIES, v.size());
        for (int r = 0; r < count; r++) {
            Arrays.fill(sums[r], 0, v.size(), 0f);
        }
        RowKernels.accumulate(sums, count, chances, width, panel, width, v.size());
        for (int r = 0; r < count; r++) {
            Elements.write(type, launch.output(0), out.row(b, head, first + r, v.size()), sums[r], 0, v.size());
        }
    }

    private void probabilities(LaunchContext launch, int b, int head, int query, float[] scores, Scratch scratch) {
        int keys = k.steps();
        keep(launch, Stage.RAW, b, head, query, scores, scratch);
        for (int i = 0; i < keys && softcap != 0; i++) {
            scores[i] = softcap * (float) Math.tanh(scores[i] / softcap);
        }
        keep(launch, Stage.CAPPED, b, head, query, scores, scratch);
        if (!bias.isNone()) {
            float[] added = scratch.floats(3, keys);
            bias.read(launch, b, head, query, added);
            for (int i = 0; i < keys; i++) {
                scores[i] = added[i] == Float.NEGATIVE_INFINITY ? added[i] : scores[i] + added[i];
            }
        }
        keep(launch, Stage.BIASED, b, head, query, scores, scratch);
        if (isOfNothing(scores, keys)) {
            Arrays.fill(scores, 0, keys, 0f);
        } else {
            softmax(launch, head, scores, keys, scratch);
        }
        keep(launch, Stage.PROBABILITIES, b, head, query, scores, scratch);
    }

    /** Whether no key takes part: all are masked, or infinitely far below all others. */
    private static boolean isOfNothing(float[] scores, int keys) {
        for (int i = 0; i < keys; i++) {
            if (scores[i] != Float.NEGATIVE_INFINITY) {
                return false;
            }
        }
        return true;
    }

    private void softmax(LaunchContext launch, int head, float[] scores, int count, Scratch scratch) {
        double[] lane = scratch.doubles(0, count + 1);
        for (int i = 0; i < count; i++) {
            lane[i] = scores[i];
        }
        if (sink != null) {
            lane[count] = sink.of(launch, head);
        }
        SoftmaxKernel.softmax(launch, lane, sink == null ? count : count + 1);
        for (int i = 0; i < count; i++) {
            scores[i] = (float) lane[i];
        }
    }

    private void keep(LaunchContext launch, Stage stage, int b, int head, int query, float[] scores, Scratch scratch) {
        if (scoresKept != null) {
            scoresKept.keep(launch, stage, b, head, query, scores, scratch);
        }
    }

    private static int padded(int extent) {
        return (extent + 3) & ~3;
    }
}
