package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Operators on 8-bit matrices by row and by column, against the same in double precision. */
class OrderedOperatorsTest {
    private static final int BY_COLUMN = 0;
    private static final int BY_ROW = 1;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(75);

    private static double rounded(double real, double scale) {
        return Math.clamp(Math.rint(real / scale), -128, 127);
    }

    private static Tensor bytes(double[] values, long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.INT8, Shape.of(dims));
        for (int i = 0; i < values.length; i++) {
            Elements.setLong(ElementType.INT8, tensor.segment(), i, (long) values[i]);
        }
        return tensor;
    }

    /** Rows by a matrix whose elements lie by column, with so many real numbers for each row. */
    private static double[] product(double[] rows, double scale, double[] weights, double[] scales, int columns) {
        int inner = weights.length / columns;
        double[] result = new double[rows.length / inner * columns];
        for (int i = 0; i < result.length; i++) {
            for (int k = 0; k < inner; k++) {
                result[i] += rows[i / columns * inner + k] * weights[i % columns * inner + k];
            }
            result[i] *= scale * scales[i % columns % scales.length];
        }
        return result;
    }

    @Test
    void productsOfMatricesByRowAndByColumn() {
        Tensor a = draw.whole(ElementType.INT8, 2, 3, 5);
        Tensor b = draw.whole(ElementType.INT8, 5, 4);
        Tensor scales = draw.scales(4);
        Tensor bias = draw.floats(4);
        Tensor c = draw.whole(ElementType.INT8, 3, 4);
        double[] expected =
                product(OneOperator.numbers(a), 0.5f, OneOperator.numbers(b), OneOperator.numbers(scales), 4);
        for (int i = 0; i < expected.length; i++) {
            double more = bias.floats()[i % 4] + 3 * OneOperator.numbers(c)[i % 12];
            expected[i] = rounded(expected[i] + more, 7);
        }
        OneOperator.contributed("QOrderedMatMul")
                .with("order_A", BY_ROW)
                .with("order_B", BY_COLUMN)
                .with("order_Y", BY_ROW)
                .on(a, Draw.scale(0.5), b, scales, Draw.scale(7), bias, c, Draw.scale(3))
                .gives(engine, 0, bytes(expected, 2, 3, 4));
    }

    @Test
    void ordersAreChangedOnTheWay() {
        Tensor real = Tensor.copyOf(new float[] {1, 2.2f, -3, 4, 500, 6}, 2, 3);
        OneOperator.contributed("QuantizeWithOrder")
                .with("order_input", BY_ROW)
                .with("order_output", BY_COLUMN)
                .on(real, Draw.scale(0.5))
                .gives(engine, 0, bytes(new double[] {2, 8, 4, 127, -6, 12}, 2, 3));
        OneOperator.contributed("DequantizeWithOrder")
                .with("order_input", BY_COLUMN)
                .with("order_output", BY_ROW)
                .with("to", ElementType.FLOAT.code())
                .on(bytes(new double[] {2, 8, 4, 127, -6, 12}, 2, 3), Draw.scale(0.5))
                .gives(engine, 0, Tensor.copyOf(new float[] {1, 2, -3, 4, 63.5f, 6}, 2, 3));
        OneOperator tiles = OneOperator.contributed("QuantizeWithOrder")
                .with("order_input", BY_ROW)
                .with("order_output", 2)
                .on(real, Draw.scale(0.5));
        assertThatThrownBy(() -> tiles.run(engine)).hasMessageContaining("order_output 2");
    }

    @Test
    void normsAndGelus() {
        double[] x = {10, -20, 30, 40, 1, 2, 3, -100};
        double[] gamma = {1, 2, 0.5, -1};
        double[] normed = new double[8];
        double[] gelus = new double[8];
        for (int i = 0; i < 8; i++) {
            double mean = 0;
            double squares = 0;
            for (int k = i / 4 * 4; k < i / 4 * 4 + 4; k++) {
                mean += x[k] / 8;
                squares += x[k] * x[k] / 16;
            }
            double one = (x[i] / 2 - mean) / Math.sqrt(squares - mean * mean + 1e-5);
            normed[i] = rounded(one * gamma[i % 4], 0.02);
            double half = x[i] / 20;
            gelus[i] = rounded(half / 2 * (1 + erf(half / Math.sqrt(2))), 0.03);
        }
        OneOperator.contributed("QOrderedLayerNormalization")
                .on(bytes(x, 2, 4), Draw.scale(0.5))
                .on(Tensor.copyOf(new float[] {1, 2, 0.5f, -1}, 4), null, Draw.scale(0.02))
                .gives(engine, 0, bytes(normed, 2, 4));
        OneOperator.contributed("QOrderedGelu")
                .on(bytes(x, 2, 4), Draw.scale(0.05), Draw.scale(0.03))
                .gives(engine, 0, bytes(gelus, 2, 4));
    }

    private static double erf(double x) {
        double term = x;
        double sum = x;
        for (int n = 1; n < 200; n++) {
            term *= -x * x / n;
            sum += term / (2 * n + 1);
        }
        return sum * 2 / Math.sqrt(Math.PI);
    }

    private static double[] stepped(double[] real, double scale) {
        double[] result = new double[real.length];
        for (int i = 0; i < real.length; i++) {
            result[i] = rounded(real[i], scale) * scale;
        }
        return result;
    }

    @Test
    void attentionOfBytesAtEachStep() {
        int steps = 5;
        int width = 6;
        int head = 3;
        Tensor input = draw.whole(ElementType.INT8, 1, steps, width);
        Tensor[] weights = new Tensor[3];
        Tensor[] biases = new Tensor[3];
        double[][] parts = new double[3][];
        int[] mask = {1, 1, 0, 1, 1};
        for (int i = 0; i < 3; i++) {
            weights[i] = draw.whole(ElementType.INT8, width, width);
            biases[i] = draw.floats(width);
            double[] one = {0.004f};
            double[] real = product(OneOperator.numbers(input), 0.01f, OneOperator.numbers(weights[i]), one, width);
            for (int k = 0; k < real.length; k++) {
                real[k] += biases[i].floats()[k % width];
            }
            parts[i] = stepped(real, 0.05f);
        }
        double[] expected = new double[steps * width];
        for (int i = 0; i < expected.length; i++) {
            int from = i % width / head * head;
            double[] scores = new double[steps];
            for (int key = 0; key < steps; key++) {
                for (int k = from; k < from + head; k++) {
                    scores[key] += parts[0][i / width * width + k] * parts[1][key * width + k];
                }
            }
            double[] shares = stepped(scores, 0.1f);
            double sum = 0;
            for (int key = 0; key < steps; key++) {
                shares[key] = mask[key] * Math.exp(shares[key] / Math.sqrt(head));
                sum += shares[key];
            }
            double mean = 0;
            for (int key = 0; key < steps; key++) {
                mean += rounded(shares[key] / sum, 1 / 127f) / 127 * parts[2][key * width + i % width];
            }
            expected[i] = rounded(mean, 0.03f);
        }
        Tensor gemm = Draw.scale(0.05);
        Tensor scale = Draw.scale(0.004);
        OneOperator.contributed("QOrderedAttention")
                .with("num_heads", width / head)
                .with("order_input", BY_ROW)
                .with("order_output", BY_ROW)
                .with("order_weight", BY_COLUMN)
                .list("qkv_hidden_sizes", width, width, width)
                .on(input, Draw.scale(0.01), gemm, gemm, gemm)
                .on(weights)
                .on(scale, scale, scale)
                .on(biases)
                .on(Draw.scale(0.1), Draw.scale(1 / 127f), Draw.scale(0.03))
                .on(Tensor.copyOf(mask, 1, steps))
                .gives(engine, 1, bytes(expected, 1, steps, width));
    }

    /** Numbers that are bytes of their scales at each step, so that all but the last are exact. */
    @Test
    void nearStepsAndThoseThatAllSeeOfBytes() {
        int steps = 9;
        int width = 4;
        double[] input = few(2 * steps * width);
        double[][] weights = {few(width * 3 * width), few(width * 3 * width)};
        double[][] biases = {few(3 * width), few(3 * width)};
        Tensor mask = Draw.zeros(ElementType.FLOAT16, 2, steps);
        Elements.setDouble(ElementType.FLOAT16, mask.segment(), steps - 1, -10000);
        int[] global = new int[2 * steps];
        global[0] = 1;
        global[steps + 4] = 1;
        Tensor[] real = new Tensor[4];
        Tensor[] ordered = new Tensor[4];
        for (int i = 0; i < 2; i++) {
            double[] turned = new double[weights[i].length];
            for (int k = 0; k < turned.length; k++) {
                turned[k] = weights[i][k % width * 3 * width + k / width];
            }
            real[2 * i] = floats(weights[i], 0.5, width, 3 * width);
            real[2 * i + 1] = floats(biases[i], 0.125, 3 * width);
            ordered[2 * i] = bytes(turned, width, 3 * width);
            ordered[2 * i + 1] = real[2 * i + 1];
        }
        double[] expected = OneOperator.numbers(OneOperator.contributed("LongformerAttention")
                .with("num_heads", 2)
                .with("window", 2)
                .on(floats(input, 0.25, 2, steps, width), real[0], real[1])
                .on(floats(OneOperator.numbers(mask), 1, 2, steps), real[2], real[3])
                .on(Tensor.copyOf(global, 2, steps))
                .run(engine));
        for (int i = 0; i < expected.length; i++) {
            expected[i] = rounded(expected[i], 0.01f);
        }
        Tensor scale = Draw.scale(0.5);
        Tensor step = Draw.scale(0.125);
        OneOperator.contributed("QOrderedLongformerAttention")
                .with("num_heads", 2)
                .with("window", 2)
                .with("order_input", BY_ROW)
                .with("order_output", BY_ROW)
                .with("order_weight", BY_COLUMN)
                .with("order_global_weight", BY_COLUMN)
                .on(bytes(input, 2, steps, width), Draw.scale(0.25))
                .on(ordered[0], scale, ordered[1], scale, step, mask)
                .on(ordered[2], scale, ordered[3], step, Tensor.copyOf(global, 2, steps), Draw.scale(0.01))
                .gives(engine, 1, bytes(expected, 2, steps, width));
    }

    private double[] few(int count) {
        double[] values = OneOperator.numbers(draw.below(ElementType.INT8, 5, count));
        for (int i = 0; i < count; i++) {
            values[i] -= 2;
        }
        return values;
    }

    private static Tensor floats(double[] values, double scale, long... dims) {
        float[] floats = new float[values.length];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = (float) (values[i] * scale);
        }
        return Tensor.copyOf(floats, dims);
    }
}
