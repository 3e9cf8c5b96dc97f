package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of the operators around attention that encode positions, and of linear attention. */
@Tag("reference")
class PositionOperatorsTest {
    private static final double CLOSE = 1e-5;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(92);

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor reals(float... values) {
        return Tensor.copyOf(values, values.length);
    }

    /**
     * Returns the bucket of a relative distance: the first half of the buckets hold one distance
     * each, the others are logarithmic.
     */
    private static int bucket(int distance, int buckets, int farthest) {
        int near = buckets / 2;
        if (distance < near) {
            return distance;
        }
        double far = Math.log((double) distance / near) / Math.log((double) farthest / near) * (buckets - near);
        return Math.min(buckets - 1, near + (int) far);
    }

    @Test
    void farPlacesShareABias() {
        int steps = 40;
        int heads = 3;
        for (boolean both : new boolean[] {false, true}) {
            int buckets = 16;
            Tensor table = draw.floats(buckets, heads);
            float[] expected = new float[heads * steps * steps];
            int each = both ? buckets / 2 : buckets;
            for (int i = 0; i < expected.length; i++) {
                int apart = i % steps - i / steps % steps;
                int bucket = bucket(both ? Math.abs(apart) : Math.max(0, -apart), each, 31);
                expected[i] = table.floats()[i / (steps * steps) * buckets + bucket + (both && apart > 0 ? each : 0)];
            }
            OneOperator.contributed("RelativePositionBias")
                    .with("max_distance", 31)
                    .with("is_bidirectional", both ? 1 : 0)
                    .holding(table)
                    .on(longs(steps), longs(steps))
                    .gives(engine, 0, Tensor.copyOf(expected, 1, heads, steps, steps));
        }
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    @Test
    void aBiasIsGatedByQueries() {
        int steps = 3;
        Tensor queries = draw.floats(2, steps, 4);
        Tensor bias = draw.floats(4);
        Tensor places = draw.floats(1, 2, steps, steps);
        Tensor weights = draw.floats(2, 4);
        Tensor added = draw.floats(4);
        Tensor factors = draw.floats(1, 2, 1, 1);
        float[] expected = new float[2 * 2 * steps * steps];
        for (int i = 0; i < expected.length; i++) {
            int step = i / steps % steps;
            int head = i / (steps * steps) % 2;
            int text = i / (2 * steps * steps);
            double[] sums = new double[2];
            for (int j = 0; j < 4; j++) {
                double sum = added.floats()[j];
                for (int x = 0; x < 2; x++) {
                    int place = head * 2 + x;
                    sum += (queries.floats()[(text * steps + step) * 4 + place] + bias.floats()[place])
                            * weights.floats()[x * 4 + j];
                }
                sums[j / 2] += sum;
            }
            double gate = sigmoid(sums[0]) * (sigmoid(sums[1]) * factors.floats()[head] - 1) + 2;
            expected[i] = (float) (gate * places.floats()[i % (2 * steps * steps)]);
        }
        OneOperator.contributed("GatedRelativePositionBias")
                .with("num_heads", 2)
                .on(queries, bias, places)
                .holding(weights, added, factors)
                .gives(engine, CLOSE, Tensor.copyOf(expected, 2, 2, steps, steps));
    }

    @Test
    void queriesAndKeysAreTurned() {
        Tensor quarter = Tensor.copyOf(new float[] {(float) Math.PI / 2, 0}, 1, 1, 2);
        Tensor half = Draw.filled(ElementType.FLOAT16, 0.5, 1, 1, 1, 2);
        Tensor two = Draw.filled(ElementType.FLOAT16, 2, 1, 1, 1, 2);
        Tensor queries = Tensor.allocate(ElementType.FLOAT16, half.shape());
        Tensor keys = Tensor.allocate(ElementType.FLOAT16, half.shape());
        for (int i = 0; i < 2; i++) {
            Elements.setDouble(ElementType.FLOAT16, queries.segment(), i, i == 0 ? 2 : 0.5);
            Elements.setDouble(ElementType.FLOAT16, keys.segment(), i, i == 0 ? 0.5 : 2);
        }
        OneOperator.contributed("GemmaRotaryEmbedding")
                .outputs(2)
                .on(quarter, half, two, two, half)
                .gives(engine, 1e-6, queries, keys);
    }

    @Test
    void linearAttentionRemembersKeysWithTheirValues() {
        // the state is 3 * 5 after the first step, and has 4 * 6 more after the second
        OneOperator.contributed("LinearAttention")
                .with("q_num_heads", 1)
                .with("kv_num_heads", 1)
                .with("update_rule", "linear")
                .outputs(2)
                .on(steps(1, 2), steps(3, 4), steps(5, 6))
                .gives(engine, 0, steps(15, 78), Draw.filled(ElementType.FLOAT, 39, 1, 1, 1, 1));
    }

    @Test
    void linearAttentionTakesAsManyStepsAsThereAreQueries() {
        OneOperator gated = OneOperator.contributed("LinearAttention")
                .with("q_num_heads", 1)
                .with("kv_num_heads", 1)
                .with("update_rule", "gated")
                .outputs(2)
                .on(steps(1, 2), steps(3, 4), steps(5, 6), null, steps(1));
        assertThatThrownBy(() -> gated.run(engine))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContaining("input 4 has shape [1, 1, 1] where axis 1 is expected to be 2");
    }

    private static Tensor steps(float... values) {
        return Tensor.copyOf(values, 1, values.length, 1);
    }

    @Test
    void gatesByHand() {
        Tensor a = reals(0, 1);
        OneOperator.contributed("LinearAttentionGate")
                .outputs(2)
                .on(
                        Tensor.copyOf(a.floats(), 1, 1, 2),
                        reals(0, -1),
                        reals(-2, 3),
                        Tensor.copyOf(new float[] {0, 2}, 1, 1, 2))
                .gives(
                        engine,
                        1e-6,
                        Tensor.copyOf(new float[] {(float) (-2 * Math.log(2)), (float) (3 * Math.log(2))}, 1, 1, 2),
                        Tensor.copyOf(new float[] {0.5f, (float) sigmoid(2)}, 1, 1, 2));
        OneOperator.contributed("GatedAdd")
                .on(
                        Tensor.copyOf(new float[] {1, 2}, 1, 2),
                        Tensor.copyOf(new float[] {3, 4}, 1, 2),
                        Draw.filled(ElementType.FLOAT, 2, 1, 1))
                .gives(engine, 0, Tensor.copyOf(new float[] {7, 10}, 1, 2));
        // each half is normalised by itself: 3 and 4 by the root of 12.5, 6 and 8 by that of 50
        float root = (float) Math.sqrt(12.5);
        OneOperator.contributed("GatedRMSNorm")
                .with("epsilon", 0f)
                .on(Tensor.copyOf(new float[] {3, 4, 6, 8}, 1, 4), reals(1, 2), Draw.filled(ElementType.FLOAT, 1, 1, 4))
                .gives(
                        engine,
                        1e-6,
                        Tensor.copyOf(
                                new float[] {
                                    (float) (3 / root * sigmoid(1)), (float) (8 / root * sigmoid(1)),
                                    (float) (3 / root * sigmoid(1)), (float) (8 / root * sigmoid(1))
                                },
                                1,
                                4));
    }

    @Test
    void convolutionsKeepWhatTheyNeedNext() {
        OneOperator.contributed("CausalConvWithState")
                .outputs(2)
                .on(Tensor.copyOf(new float[] {1, 2, 3}, 1, 1, 3))
                .holding(Tensor.copyOf(new float[] {10, 1}, 1, 1, 2))
                .gives(
                        engine,
                        0,
                        Tensor.copyOf(new float[] {1, 12, 23}, 1, 1, 3),
                        Tensor.copyOf(new float[] {3}, 1, 1, 1));
    }

    private OneOperator threePositions(ElementType type, Tensor turned) {
        return OneOperator.contributed("MRotaryEmbedding")
                .on(turned, draw.below(ElementType.INT64, 7, 3, 2, 5))
                .holding(draw.reals(type, 7, 6), draw.reals(type, 7, 6));
    }

    @Test
    void anglesFollowThreePositions() throws Exception {
        for (long layout = 0; layout <= 1; layout++) {
            for (long[] sections : new long[][] {{3, 2, 1}, {2, 2, 2}, {6, 0, 0}, {0, 5, 1}, {1, 0, 5}}) {
                threePositions(ElementType.FLOAT, draw.floats(2, 3, 5, 12))
                        .with("mrope_layout", layout)
                        .list("mrope_section", sections)
                        .agrees(engine, CLOSE);
                threePositions(ElementType.FLOAT, draw.floats(2, 5, 32))
                        .with("mrope_layout", layout)
                        .with("num_heads", 2)
                        .with("rotary_embedding_dim", 12)
                        .with("interleaved", 1)
                        .with("scale", 0.75f)
                        .list("mrope_section", sections)
                        .agrees(engine, CLOSE);
            }
        }
        threePositions(ElementType.FLOAT16, draw.reals(ElementType.FLOAT16, 2, 3, 5, 12))
                .with("scale", 1.5f)
                .list("mrope_section", 2, 2, 2)
                .agrees(engine, 4e-3);
    }

    @Test
    void sectionsThatAreNoneAreRefused() {
        OneOperator two =
                threePositions(ElementType.FLOAT, draw.floats(2, 3, 5, 12)).list("mrope_section", 3, 3);
        assertThatThrownBy(() -> two.run(engine))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'mrope_section' is [3, 3] where three lengths");
        OneOperator layout = threePositions(ElementType.FLOAT, draw.floats(2, 3, 5, 12))
                .list("mrope_section", 2, 2, 2)
                .with("mrope_layout", 2);
        assertThatThrownBy(() -> layout.run(engine))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'mrope_layout' is 2");
    }
}
