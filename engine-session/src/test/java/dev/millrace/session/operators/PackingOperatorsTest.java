package dev.millrace.session.operators;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Texts of one, two and four tokens, filled up to four and packed. */
class PackingOperatorsTest {
    private static final int[] ENDS = {0, 1, 3, 7};
    private static final int HEADS = 2;
    private static final int SIZE = 3;
    private static final int TOKENS = 7;
    private static final double CLOSE = 1e-5;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(91);

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor offsets() {
        return Tensor.copyOf(new int[] {0, 4, 5, 8, 9, 10, 11, 1, 2, 3, 6, 7}, 3, 4);
    }

    @Test
    void fillingIsTakenOut() {
        float[] numbers = new float[24];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i;
        }
        OneOperator.contributed("RemovePadding")
                .outputs(4)
                .on(Tensor.copyOf(numbers, 3, 4, 2), ints(1, 2, 4))
                .gives(
                        engine,
                        0,
                        Tensor.copyOf(new float[] {0, 1, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23}, 7, 2),
                        offsets(),
                        ints(ENDS),
                        ints(4));
    }

    @Test
    void fillingIsPutBackAsZeros() {
        OneOperator.contributed("RestorePadding")
                .on(Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6, 7}, 7, 1), offsets())
                .gives(engine, 0, Tensor.copyOf(new float[] {1, 0, 0, 0, 2, 3, 0, 0, 4, 5, 6, 7}, 3, 4, 1));
    }

    /** Each token of a text looks at all of its text, head by head. */
    private static Tensor attention(float[] q, float[] k, float[] v) {
        int width = HEADS * SIZE;
        float[] result = new float[TOKENS * width];
        for (int text = 0; text + 1 < ENDS.length; text++) {
            for (int i = ENDS[text]; i < ENDS[text + 1]; i++) {
                for (int head = 0; head < HEADS; head++) {
                    double[] weights = new double[TOKENS];
                    double all = 0;
                    for (int j = ENDS[text]; j < ENDS[text + 1]; j++) {
                        double dot = 0;
                        for (int x = head * SIZE; x < (head + 1) * SIZE; x++) {
                            dot += (double) q[i * width + x] * k[j * width + x];
                        }
                        weights[j] = Math.exp(dot / Math.sqrt(SIZE));
                        all += weights[j];
                    }
                    for (int x = head * SIZE; x < (head + 1) * SIZE; x++) {
                        double sum = 0;
                        for (int j = ENDS[text]; j < ENDS[text + 1]; j++) {
                            sum += weights[j] / all * v[j * width + x];
                        }
                        result[i * width + x] = (float) sum;
                    }
                }
            }
        }
        return Tensor.copyOf(result, TOKENS, width);
    }

    @Test
    void tokensLookAtTheirTextAlone() {
        Tensor q = draw.floats(TOKENS, HEADS * SIZE);
        Tensor k = draw.floats(TOKENS, HEADS * SIZE);
        Tensor v = draw.floats(TOKENS, HEADS * SIZE);
        OneOperator.contributed("PackedMultiHeadAttention")
                .with("num_heads", HEADS)
                .on(q, k, v, null, offsets(), ints(ENDS))
                .gives(engine, CLOSE, attention(q.floats(), k.floats(), v.floats()));
    }

    @Test
    void queriesKeysAndValuesMayLieByHead() {
        Tensor together = draw.floats(TOKENS, HEADS, 3, SIZE);
        OneOperator.contributed("PackedMultiHeadAttention")
                .with("num_heads", HEADS)
                .on(together, null, null, null, offsets(), ints(ENDS))
                .gives(engine, CLOSE, attention(part(together, 0), part(together, 1), part(together, 2)));
    }

    private static float[] part(Tensor together, int which) {
        float[] all = together.floats();
        float[] part = new float[all.length / 3];
        for (int i = 0; i < part.length; i++) {
            int block = i / SIZE;
            part[i] = all[(block * 3 + which) * SIZE + i % SIZE];
        }
        return part;
    }

    @Test
    void attentionProjectsItsInput() {
        int width = HEADS * SIZE;
        Tensor tensor = draw.floats(TOKENS, 4);
        Tensor weights = draw.floats(4, 3 * width);
        Tensor bias = draw.floats(3 * width);
        float[][] parts = new float[3][TOKENS * width];
        for (int i = 0; i < TOKENS; i++) {
            for (int j = 0; j < 3 * width; j++) {
                double sum = bias.floats()[j];
                for (int x = 0; x < 4; x++) {
                    sum += (double) tensor.floats()[i * 4 + x] * weights.floats()[x * 3 * width + j];
                }
                parts[j / width][i * width + j % width] = (float) sum;
            }
        }
        OneOperator.contributed("PackedAttention")
                .with("num_heads", HEADS)
                .on(tensor, weights, bias, offsets(), ints(ENDS))
                .gives(engine, CLOSE, attention(parts[0], parts[1], parts[2]));
    }
}
