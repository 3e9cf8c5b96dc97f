package dev.millrace.session.operators;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Products with weights in blocks that ONNX Runtime's CPU does not have: against its parts, and in double precision. */
class BlockProductTest {
    private static final int ROWS = 5;
    private static final int INNER = 32;
    private static final int BLOCK = 16;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(131);

    /** Weights of so many columns, their scales and a bias. */
    private record Weights(Tensor bytes, Tensor scales, Tensor bias) {
        static Weights of(Draw draw, int columns) {
            int blocks = INNER / BLOCK;
            return new Weights(
                    draw.below(ElementType.UINT8, 256, columns, blocks, BLOCK / 2),
                    draw.scales(columns, blocks),
                    draw.floats(columns));
        }

        OneOperator of(OneOperator operator) {
            return operator.holding(bytes, scales, bias);
        }
    }

    private double[] product(Tensor x, Weights weights, int columns) {
        return OneOperator.numbers(OneOperator.contributed("MatMulNBits")
                .with("K", INNER)
                .with("N", columns)
                .with("block_size", BLOCK)
                .on(x)
                .holding(weights.bytes(), weights.scales())
                .on(null, null, weights.bias())
                .run(engine));
    }

    private static Tensor floats(double[] values, long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.FLOAT, Shape.of(dims));
        Elements.write(ElementType.FLOAT, tensor.segment(), 0, values, 0, values.length);
        return tensor;
    }

    private static Tensor added(Tensor a, Tensor b) {
        double[] sum = OneOperator.numbers(a);
        double[] other = OneOperator.numbers(b);
        for (int i = 0; i < sum.length; i++) {
            sum[i] += other[i];
        }
        return floats(sum, a.shape().toArray());
    }

    private static Tensor normed(Tensor x, Tensor scale, double epsilon) {
        double[] values = OneOperator.numbers(x);
        double[] scales = OneOperator.numbers(scale);
        for (int row = 0; row < values.length; row += INNER) {
            double squares = 0;
            for (int i = 0; i < INNER; i++) {
                squares += values[row + i] * values[row + i] / INNER;
            }
            for (int i = 0; i < INNER; i++) {
                values[row + i] *= scales[i] / Math.sqrt(squares + epsilon);
            }
        }
        return floats(values, x.shape().toArray());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void gatesAndProjectionsOfOneNorm(int parts) {
        Tensor x = draw.floats(1, ROWS, INNER);
        Tensor skip = parts == 2 ? draw.floats(1, ROWS, INNER) : null;
        Tensor scale = parts == 0 ? null : draw.floats(INNER);
        Tensor sum = skip == null ? x : added(x, skip);
        Tensor norm = scale == null ? sum : normed(sum, scale, 0.01f);
        Weights gate = Weights.of(draw, 6);
        Weights up = Weights.of(draw, 6);
        double[] y = product(norm, up, 6);
        double[] opened = product(norm, gate, 6);
        for (int i = 0; i < y.length; i++) {
            y[i] *= opened[i] / (1 + Math.exp(-opened[i]));
        }
        OneOperator mlp = OneOperator.contributed("MatMulNBitsMlp")
                .with("K", INNER)
                .with("N", 6)
                .with("block_size", BLOCK)
                .with("activation", "silu")
                .with("epsilon", 0.01f)
                .outputs(2)
                .on(x, skip, scale);
        up.of(gate.of(mlp)).gives(engine, 1e-4, floats(y, 1, ROWS, 6), sum);
        if (scale == null) {
            return;
        }
        Weights[] weights = {Weights.of(draw, 8), Weights.of(draw, 4), Weights.of(draw, 4)};
        OneOperator qkv = OneOperator.contributed("MatMulNBitsQkv")
                .with("K", INNER)
                .with("Nq", 8)
                .with("Nkv", 4)
                .with("block_size", BLOCK)
                .with("epsilon", 0.01f)
                .outputs(4)
                .on(x, skip, scale);
        Tensor[] expected = new Tensor[4];
        for (int i = 0; i < 3; i++) {
            weights[i].of(qkv);
            int columns = i == 0 ? 8 : 4;
            expected[i] = floats(product(norm, weights[i], columns), 1, ROWS, columns);
        }
        expected[3] = sum;
        qkv.gives(engine, 1e-4, expected);
    }

    private static double small(int bits) {
        double[] sizes = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
        return bits < 8 ? sizes[bits] : -sizes[bits - 8];
    }

    private static double e4m3(int bits) {
        int exponent = bits >> 3 & 15;
        double size = exponent == 0 ? (bits & 7) / 512.0 : Math.scalb(8.0 + (bits & 7), exponent - 10);
        return bits < 128 ? size : -size;
    }

    private static Tensor half(double[] values, long... dims) {
        Tensor tensor = Tensor.allocate(ElementType.FLOAT16, Shape.of(dims));
        Elements.write(ElementType.FLOAT16, tensor.segment(), 0, values, 0, values.length);
        return tensor;
    }

    /** Rows by the rows of weights, and a bias. */
    private static double[] product(double[] x, double[] weights, double[] bias, int inner) {
        double[] y = new double[x.length / inner * bias.length];
        for (int i = 0; i < y.length; i++) {
            y[i] = bias[i % bias.length];
            for (int k = 0; k < inner; k++) {
                y[i] += x[i / bias.length * inner + k] * weights[i % bias.length * inner + k];
            }
        }
        return y;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void weightsOfSmallFloats(boolean fourBits) {
        int inner = 22;
        int columns = 3;
        int block = 8;
        double[] weights = new double[columns * inner];
        Tensor x = draw.reals(ElementType.FLOAT16, ROWS, inner);
        Tensor bias = draw.reals(ElementType.FLOAT16, columns);
        double[] rows = OneOperator.numbers(x);
        OneOperator operator;
        if (fourBits) {
            Tensor bytes = draw.below(ElementType.UINT8, 256, columns, inner / 2);
            Tensor scales = draw.below(ElementType.UINT8, 64, columns, 3);
            for (int i = 0; i < weights.length; i++) {
                int both = (int) OneOperator.numbers(bytes)[i / 2];
                int scale = (int) OneOperator.numbers(scales)[i / inner * 3 + i % inner / block];
                weights[i] = small(i % 2 == 0 ? both & 15 : both >> 4) * e4m3(scale) * 0.25;
            }
            operator = OneOperator.contributed("MatMulBlockQuantizedFp4Weight")
                    .with("block_size", block)
                    .on(x)
                    .holding(bytes, scales, Draw.scale(0.25))
                    .on(null, bias);
        } else {
            Tensor bytes = draw.reals(ElementType.FLOAT8E4M3FN, columns, inner);
            Tensor scales = draw.scales(columns, 3);
            for (int i = 0; i < weights.length; i++) {
                weights[i] =
                        OneOperator.numbers(bytes)[i] * OneOperator.numbers(scales)[i / inner * 3 + i % inner / block];
            }
            Tensor parts = Tensor.allocate(ElementType.FLOAT8E4M3FN, Shape.of(rows.length));
            for (int i = 0; i < rows.length; i++) {
                Elements.setDouble(ElementType.FLOAT8E4M3FN, parts.segment(), i, rows[i] / 0.5);
                rows[i] = Elements.getDouble(ElementType.FLOAT8E4M3FN, parts.segment(), i) * 0.5;
            }
            operator = OneOperator.contributed("MatMulBlockQuantizedFp8Weight")
                    .with("block_size", block)
                    .on(x)
                    .holding(bytes, scales, Draw.scale(0.5))
                    .on(bias);
        }
        double[] expected = product(rows, weights, OneOperator.numbers(bias), inner);
        operator.gives(engine, 0.02, half(expected, ROWS, columns));
    }
}
