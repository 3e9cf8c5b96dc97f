package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The scores as an output, by batch, head, query and key.
 *
 * @param stage the stage at which they are written
 * @param keys the number of keys of a row
 * @param hiding the bias whose hidden keys have a score of 0; null where all scores are written as they are
 */
record ScoreOutput(
        Stage stage,
        ElementType type,
        HeadLayout q,
        int keys,
        @Nullable GroupQueryBias hiding) {
    private static final int OUTPUT = 3;

    /** The stages of scores, in the order of their computation. */
    enum Stage {
        RAW,
        CAPPED,
        BIASED,
        PROBABILITIES
    }

    /** Returns the output of a node's scores as they are; null where it has none. */
    static @Nullable ScoreOutput of(BindContext context, long stage, HeadLayout q, int keys) {
        if (context.outputCount() <= OUTPUT || !context.hasOutput(OUTPUT)) {
            return null;
        }
        Stage[] stages = Stage.values();
        if (stage < 0 || stage >= stages.length) {
            throw EngineException.invalidGraph(context.node().describe() + ": scores of stage " + stage);
        }
        return new ScoreOutput(stages[(int) stage], context.inputType(0), q, keys, null);
    }

    /** Returns the output of the scores that a bias does not hide. */
    ScoreOutput hiding(GroupQueryBias bias) {
        return new ScoreOutput(stage, type, q, keys, bias);
    }

    void keep(LaunchContext launch, Stage now, int b, int head, int query, float[] scores, Scratch scratch) {
        if (now != stage) {
            return;
        }
        float[] row = scores;
        if (hiding != null) {
            int end = Math.min(keys, hiding.end(launch, b, query));
            int first = Math.min(end, hiding.first(end));
            row = scratch.floats(4, keys);
            Arrays.fill(row, 0, keys, 0f);
            System.arraycopy(scores, first, row, first, end - first);
        }
        long at = ((long) b * q.heads() + head) * q.steps() + query;
        Elements.write(type, launch.output(OUTPUT), at * keys, row, 0, keys);
    }
}
