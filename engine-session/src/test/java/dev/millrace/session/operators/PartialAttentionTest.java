package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attention to some of the keys, and that of decoders that look at an encoder or at themselves. */
@Tag("reference")
class PartialAttentionTest {
    private static final double CLOSE = 2e-5;
    private static final int WIDTH = 8;
    private static final int HEADS = 2;
    private static final int HEAD = WIDTH / HEADS;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(74);

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor flag(boolean value) {
        return Draw.filled(ElementType.BOOL, value ? 1 : 0, 1);
    }

    /** Queries, keys and values of so many steps of two texts, and caches of both. */
    private Tensor[] twoTexts(int steps) {
        return new Tensor[] {
            draw.floats(2, steps, 64),
            draw.floats(2, steps, 32),
            draw.floats(2, steps, 32),
            draw.floats(2, 2, 64, 16),
            draw.floats(2, 2, 64, 16)
        };
    }

    /** Two layouts of four blocks: the block itself and the first one, or all that are not later. */
    private static OneOperator sparse(Tensor[] operands, int total, int... lengths) {
        return OneOperator.contributed("SparseAttention")
                .with("num_heads", 4)
                .with("kv_num_heads", 2)
                .with("sparse_block_size", 16)
                .outputs(3)
                .inPlace(1, 3)
                .inPlace(2, 4)
                .on(operands)
                .on(Tensor.copyOf(new int[] {0, 1, 3, 5, 7, 0, 1, 3, 6, 10}, 2, 5))
                .on(Tensor.copyOf(new int[] {0, 0, 1, 0, 2, 0, 3, -1, -1, -1, 0, 0, 1, 0, 1, 2, 0, 1, 2, 3}, 2, 10))
                .on(ints(total), ints(lengths));
    }

    @Test
    void blocksOfKeysAreSeenAsLayoutsSay() throws Exception {
        sparse(twoTexts(50), 50, 50, 50).agrees(engine, CLOSE);
        sparse(twoTexts(1), 51, 51, 51).agrees(engine, CLOSE);
        sparse(twoTexts(3), 60, 60, 60).with("scale", 0.5f).agrees(engine, CLOSE);
    }

    @Test
    void blocksOfKeysWithPlacesTurnedIntoAngles() throws Exception {
        for (int interleaved = 0; interleaved < 2; interleaved++) {
            sparse(twoTexts(1), 51, 51, 51)
                    .with("do_rotary", 1)
                    .with("rotary_interleaved", interleaved)
                    .on(draw.floats(64, 8), draw.floats(64, 8))
                    .agrees(engine, CLOSE);
        }
    }

    /** Text {@code text} of a tensor of two. */
    private static Tensor alone(Tensor both, int text) {
        float[] all = both.floats();
        int half = all.length / 2;
        long[] dims = both.shape().toArray();
        dims[0] = 1;
        return Tensor.copyOf(Arrays.copyOfRange(all, text * half, (text + 1) * half), dims);
    }

    /** ONNX Runtime takes texts of one length only. */
    @Test
    void textsOfTwoLengthsAreAsEachOfThemAlone() throws Exception {
        Tensor[] operands = twoTexts(3);
        int[] lengths = {60, 35};
        float[][] expected = new float[3][0];
        for (int text = 0; text < 2; text++) {
            int one = text;
            Tensor[] single =
                    Arrays.stream(operands).map(both -> alone(both, one)).toArray(Tensor[]::new);
            Tensor[] found = sparse(single, lengths[text], lengths[text]).referenceOutputs();
            for (int i = 0; i < found.length; i++) {
                float[] more = found[i].floats();
                expected[i] = Arrays.copyOf(expected[i], expected[i].length + more.length);
                System.arraycopy(more, 0, expected[i], expected[i].length - more.length, more.length);
            }
        }
        sparse(operands, 60, lengths)
                .gives(
                        engine,
                        CLOSE,
                        Tensor.copyOf(expected[0], 2, 3, 64),
                        Tensor.copyOf(expected[1], 2, 2, 64, 16),
                        Tensor.copyOf(expected[2], 2, 2, 64, 16));
    }

    @Test
    void headsThatDoNotFitLayoutsAreRefused() {
        OneOperator odd = OneOperator.contributed("SparseAttention")
                .with("num_heads", 3)
                .with("kv_num_heads", 3)
                .with("sparse_block_size", 16)
                .outputs(3)
                .on(draw.floats(1, 1, 24), draw.floats(1, 1, 24), draw.floats(1, 1, 24))
                .on(draw.floats(1, 3, 16, 8), draw.floats(1, 3, 16, 8))
                .on(Tensor.copyOf(new int[] {0, 1, 0, 1}, 2, 2), Tensor.copyOf(new int[] {0, 0}, 2, 1))
                .on(ints(1), ints(1));
        assertThatThrownBy(() -> odd.run(engine)).hasMessageContaining("2 layouts for 3 heads");
    }

    /** A row of a projection: columns from {@code from} on of a matrix that is {@code columns} wide. */
    private static double[] projected(
            float[] rows, int row, float[] weights, float[] bias, int columns, int from, int biasFrom) {
        double[] result = new double[WIDTH];
        for (int j = 0; j < WIDTH; j++) {
            result[j] = bias[biasFrom + j];
            for (int k = 0; k < WIDTH; k++) {
                result[j] += (double) rows[row * WIDTH + k] * weights[k * columns + from + j];
            }
        }
        return result;
    }

    /** The mean of values of the keys that are seen, by the exponentials of scores. */
    private static double[] attended(double[] query, double[][] keys, double[][] values, IntPredicate seen) {
        double[] result = new double[WIDTH];
        for (int head = 0; head < HEADS; head++) {
            double sum = 0;
            for (int key = 0; key < keys.length; key++) {
                double score = 0;
                for (int i = head * HEAD; i < (head + 1) * HEAD; i++) {
                    score += query[i] * keys[key][i];
                }
                double weight = seen.test(key) ? Math.exp(score / Math.sqrt(HEAD)) : 0;
                sum += weight;
                for (int i = head * HEAD; i < (head + 1) * HEAD; i++) {
                    result[i] += weight * values[key][i];
                }
            }
            for (int i = head * HEAD; i < (head + 1) * HEAD; i++) {
                result[i] /= sum;
            }
        }
        return result;
    }

    @Test
    void nearStepsAndThoseThatAllSee() {
        int texts = 2;
        int steps = 12;
        int window = 2;
        Tensor input = draw.floats(texts, steps, WIDTH);
        Tensor[] weights = {draw.floats(WIDTH, 3 * WIDTH), draw.floats(WIDTH, 3 * WIDTH)};
        Tensor[] biases = {draw.floats(3 * WIDTH), draw.floats(3 * WIDTH)};
        float[] mask = new float[texts * steps];
        int[] global = new int[texts * steps];
        mask[10] = -10000;
        mask[11] = -10000;
        global[0] = 1;
        global[steps] = 1;
        global[steps + 7] = 1;
        float[] expected = new float[texts * steps * WIDTH];
        for (int row = 0; row < texts * steps; row++) {
            if (mask[row] < 0) {
                continue;
            }
            int kind = global[row];
            int first = row / steps * steps;
            float[] matrix = weights[kind].floats();
            float[] bias = biases[kind].floats();
            double[][] keys = new double[steps][];
            double[][] values = new double[steps][];
            for (int key = 0; key < steps; key++) {
                keys[key] = projected(input.floats(), first + key, matrix, bias, 3 * WIDTH, WIDTH, WIDTH);
                values[key] = projected(input.floats(), first + key, matrix, bias, 3 * WIDTH, 2 * WIDTH, 2 * WIDTH);
            }
            int place = row - first;
            double[] query = projected(input.floats(), row, matrix, bias, 3 * WIDTH, 0, 0);
            double[] result = attended(
                    query,
                    keys,
                    values,
                    key -> mask[first + key] == 0
                            && (kind == 1 || global[first + key] == 1 || Math.abs(key - place) <= window));
            for (int i = 0; i < WIDTH; i++) {
                expected[row * WIDTH + i] = (float) result[i];
            }
        }
        OneOperator.contributed("LongformerAttention")
                .with("num_heads", HEADS)
                .with("window", window)
                .on(input)
                .holding(weights[0], biases[0])
                .on(Tensor.copyOf(mask, texts, steps))
                .holding(weights[1], biases[1])
                .on(Tensor.copyOf(global, texts, steps))
                .gives(engine, CLOSE, Tensor.copyOf(expected, texts, steps, WIDTH));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void aDecoderLooksAtAnEncoderOrAtItself(int flags) {
        boolean encoder = (flags & 1) != 0;
        boolean past = (flags & 2) != 0;
        boolean masked = (flags & 4) != 0;
        int texts = 2;
        int steps = 3;
        int others = 5;
        int cached = 4;
        Tensor query = draw.floats(steps, texts, WIDTH);
        Tensor key = draw.floats(others, texts, WIDTH);
        Tensor ofQuery = draw.floats(WIDTH, WIDTH);
        Tensor ofKey = draw.floats(WIDTH, 2 * WIDTH);
        Tensor bias = draw.floats(3 * WIDTH);
        Tensor[] caches = {draw.floats(texts, HEADS, cached, HEAD), draw.floats(texts, HEADS, cached, HEAD)};
        int before = past ? cached : 0;
        int made = !encoder ? steps : past ? 0 : others;
        int all = before + made;
        Tensor mask = masked ? draw.below(ElementType.BOOL, 2, texts, all) : flag(true);
        float[][] caching = new float[2][texts * all * WIDTH];
        float[] output = new float[steps * texts * WIDTH];
        for (int text = 0; text < texts; text++) {
            int batch = text;
            double[][][] seen = new double[2][all][WIDTH];
            for (int kind = 0; kind < 2; kind++) {
                for (int step = 0; step < all; step++) {
                    float[] source = (encoder ? key : query).floats();
                    double[] row = step < before
                            ? null
                            : projected(
                                    source,
                                    (step - before) * texts + text,
                                    ofKey.floats(),
                                    bias.floats(),
                                    2 * WIDTH,
                                    kind * WIDTH,
                                    (kind + 1) * WIDTH);
                    for (int i = 0; i < WIDTH; i++) {
                        int head = text * HEADS + i / HEAD;
                        double value =
                                row != null ? row[i] : caches[kind].floats()[(head * cached + step) * HEAD + i % HEAD];
                        seen[kind][step][i] = value;
                        caching[kind][(head * all + step) * HEAD + i % HEAD] = (float) value;
                    }
                }
            }
            for (int step = 0; step < steps; step++) {
                double[] row =
                        projected(query.floats(), step * texts + text, ofQuery.floats(), bias.floats(), WIDTH, 0, 0);
                double[] result = attended(
                        row, seen[0], seen[1], at -> !masked || OneOperator.numbers(mask)[batch * all + at] == 0);
                for (int i = 0; i < WIDTH; i++) {
                    output[(step * texts + text) * WIDTH + i] = (float) result[i];
                }
            }
        }
        OneOperator.contributed("DecoderAttention")
                .with("num_heads", HEADS)
                .outputs(3)
                .on(query, key, ofQuery, ofKey, bias, mask, caches[0], caches[1])
                .on(flag(encoder), flag(past), flag(true), flag(masked))
                .gives(
                        engine,
                        CLOSE,
                        Tensor.copyOf(output, steps, texts, WIDTH),
                        Tensor.copyOf(caching[0], texts, HEADS, all, HEAD),
                        Tensor.copyOf(caching[1], texts, HEADS, all, HEAD));
    }
}
