package dev.millrace.providers.cpu.experts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of mixtures of experts against a loop over tokens and their experts, in doubles. */
class ExpertsKernelTest {
    private static final int TOKENS = 7;
    private static final int EXPERTS = 4;
    private static final int WIDTH = 6;
    private static final int INNER = 10;

    private final Random random = new Random(31);

    private final Tensor tokens = normal(TOKENS, WIDTH);
    private final Tensor scores = normal(TOKENS, EXPERTS);

    private Tensor normal(long... dims) {
        return RandomTensors.normal(random, dims);
    }

    private static OneNode moe(int chosen, String activation) {
        return OneNode.of(OpId.MICROSOFT, "MoE", 1).with("k", chosen).with("activation_type", activation);
    }

    /** A layer of every expert in doubles: rows of weights, and a bias for each row. */
    private record Layer(int rows, int columns, double[] weights, double @Nullable [] bias) {
        static Layer of(Tensor weights, @Nullable Tensor bias) {
            Shape shape = weights.shape();
            return new Layer(
                    (int) shape.dim(1), (int) shape.dim(2), weights.doubles(), bias == null ? null : bias.doubles());
        }

        double[] apply(int expert, double[] x) {
            double[] y = new double[rows];
            for (int row = 0; row < rows; row++) {
                y[row] = bias == null ? 0 : bias[expert * rows + row];
                for (int j = 0; j < columns; j++) {
                    y[row] += weights[(expert * rows + row) * columns + j] * x[j];
                }
            }
            return y;
        }
    }

    /** Computes a mixture: each token goes through its likeliest experts, weighted by the softmax of the scores. */
    private double[] mixture(int chosen, boolean normalised, UnaryOperator<double[]>[] experts) {
        double[] result = new double[TOKENS * WIDTH];
        for (int token = 0; token < TOKENS; token++) {
            double[] x = Arrays.copyOfRange(tokens.doubles(), token * WIDTH, (token + 1) * WIDTH);
            double[] own = Arrays.copyOfRange(scores.doubles(), token * EXPERTS, (token + 1) * EXPERTS);
            int[] best = IntStream.range(0, EXPERTS)
                    .boxed()
                    .sorted(Comparator.comparingDouble(e -> -own[e]))
                    .limit(chosen)
                    .mapToInt(e -> e)
                    .toArray();
            double all = (normalised ? Arrays.stream(best) : IntStream.range(0, EXPERTS))
                    .mapToDouble(e -> Math.exp(own[e]))
                    .sum();
            for (int expert : best) {
                double[] said = experts[expert].apply(x);
                for (int i = 0; i < WIDTH; i++) {
                    result[token * WIDTH + i] += Math.exp(own[expert]) / all * said[i];
                }
            }
        }
        return result;
    }

    @SuppressWarnings("unchecked")
    private static UnaryOperator<double[]>[] experts(Layer first, UnaryOperator<double[]> between, Layer second) {
        return IntStream.range(0, EXPERTS)
                .mapToObj(e -> (UnaryOperator<double[]>) x -> second.apply(e, between.apply(first.apply(e, x))))
                .toArray(UnaryOperator[]::new);
    }

    private static DoubleUnaryOperator function(String name) {
        return switch (name) {
            case "relu" -> x -> Math.max(0, x);
            case "gelu" -> x -> x / 2 * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * Math.pow(x, 3))));
            case "silu" -> x -> x / (1 + Math.exp(-x));
            default -> x -> x;
        };
    }

    @ParameterizedTest
    @CsvSource({
        "relu, 1, false",
        "gelu, 2, false",
        "silu, 3, true",
        "identity, 4, true",
        "relu, 2, true",
        "identity, 1, true"
    })
    void tokensGoThroughTheirLikeliestExperts(String activation, int chosen, boolean normalised) {
        Tensor first = normal(EXPERTS, INNER, WIDTH);
        Tensor second = normal(EXPERTS, WIDTH, INNER);
        Tensor bias = normal(EXPERTS, INNER);
        Tensor otherBias = normal(EXPERTS, WIDTH);
        OneNode node = moe(chosen, activation).with("normalize_routing_weights", normalised ? 1 : 0);
        UnaryOperator<double[]> between =
                x -> Arrays.stream(x).map(function(activation)).toArray();
        double[] expected =
                mixture(chosen, normalised, experts(Layer.of(first, bias), between, Layer.of(second, otherBias)));
        assertThat(node.run(tokens, scores, first, bias, second, otherBias).doubles())
                .containsExactly(expected, within(1e-5));
        double[] unbiased =
                mixture(chosen, normalised, experts(Layer.of(first, null), between, Layer.of(second, null)));
        Tensor batched = node.run(tokens.reshaped(Shape.of(1, TOKENS, WIDTH)), scores, first, null, second);
        assertThat(batched.shape()).isEqualTo(Shape.of(1, TOKENS, WIDTH));
        assertThat(batched.doubles()).containsExactly(unbiased, within(1e-5));
    }

    /** Gates and values alternate, stand one behind the other, or come of two layers. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void gatesMultiplyValuesWhereverTheyStand(int fusion) {
        boolean fused = fusion > 0;
        Tensor first = normal(EXPERTS, fused ? 2 * INNER : INNER, WIDTH);
        Tensor second = normal(EXPERTS, WIDTH, INNER);
        Tensor third = fused ? null : normal(EXPERTS, INNER, WIDTH);
        DoubleBinaryOperator gated = (gate, value) -> {
            double low = Math.min(gate, 1.5);
            return low / (1 + Math.exp(-1.7 * low)) * (Math.clamp(value, -1.5, 1.5) + 0.5);
        };
        OneNode node = moe(2, "swiglu")
                .with("swiglu_fusion", fusion)
                .with("swiglu_limit", Attribute.of(1.5f))
                .with("activation_alpha", Attribute.of(1.7f))
                .with("activation_beta", Attribute.of(0.5f));
        Layer gates = Layer.of(first, null);
        Layer out = Layer.of(second, null);
        @SuppressWarnings("unchecked")
        UnaryOperator<double[]>[] experts = IntStream.range(0, EXPERTS)
                .mapToObj(e -> (UnaryOperator<double[]>) x -> {
                    double[] hidden = gates.apply(e, x);
                    double[] values =
                            third == null ? hidden : Layer.of(third, null).apply(e, x);
                    double[] between = new double[INNER];
                    Arrays.setAll(between, i -> switch (fusion) {
                        case 1 -> gated.applyAsDouble(hidden[2 * i], hidden[2 * i + 1]);
                        case 2 -> gated.applyAsDouble(hidden[i], hidden[INNER + i]);
                        default -> gated.applyAsDouble(hidden[i], values[i]);
                    });
                    return out.apply(e, between);
                })
                .toArray(UnaryOperator[]::new);
        assertThat(node.run(tokens, scores, first, null, second, null, third).doubles())
                .containsExactly(mixture(2, false, experts), within(1e-5));
    }

    /** The last expert of equal scores is taken first. */
    @Test
    void equalScoresAreTakenFromBehind() {
        Tensor first = Tensor.copyOf(new float[] {1, 1, 1}, 3, 1, 1);
        Tensor second = Tensor.copyOf(new float[] {1, 10, 100}, 3, 1, 1);
        Tensor y = moe(2, "identity")
                .with("normalize_routing_weights", 1)
                .run(
                        Tensor.copyOf(new float[] {2}, 1, 1),
                        Tensor.copyOf(new float[] {5, 5, 5}, 1, 3),
                        first,
                        null,
                        second);
        assertThat(y.floats()).containsExactly(110);
    }

    /** Numbers of few bits in bytes, the first one in the low bits; each row begins in a byte of its own. */
    private record Packed(Tensor bytes, int[] numbers) {
        static Packed of(Random random, int bits, int rows, int columns, long... dims) {
            int each = (columns * bits + 7) / 8;
            int[] numbers = random.ints((long) rows * columns, 0, 1 << bits).toArray();
            byte[] bytes = new byte[rows * each];
            for (int i = 0; i < numbers.length; i++) {
                int bit = i % columns * bits;
                bytes[i / columns * each + bit / 8] |= (byte) (numbers[i] << bit % 8);
            }
            Tensor tensor = Tensor.allocate(ElementType.UINT8, Shape.of(dims));
            for (int i = 0; i < bytes.length; i++) {
                Elements.setLong(ElementType.UINT8, tensor.segment(), i, bytes[i] & 0xff);
            }
            return new Packed(tensor, numbers);
        }
    }

    /** The operands of a quantised layer, and the layer that they mean. */
    private record Quantised(
            Tensor weights, Tensor scales, @Nullable Tensor zeros, Layer layer) {
        static Quantised of(Random random, int bits, int block, boolean hasZeros, int rows, int columns) {
            int blocks = block == 0 ? 1 : (columns + block - 1) / block;
            Packed weights = Packed.of(random, bits, EXPERTS * rows, columns, EXPERTS, rows, (columns * bits + 7) / 8);
            Tensor scales = block == 0
                    ? RandomTensors.uniform(random, 0.01f, 0.1f, EXPERTS, rows)
                    : RandomTensors.uniform(random, 0.01f, 0.1f, EXPERTS, rows, blocks);
            Packed zeros = block == 0
                    ? Packed.of(random, bits, EXPERTS, rows, EXPERTS, (rows * bits + 7) / 8)
                    : Packed.of(random, bits, EXPERTS * rows, blocks, EXPERTS, rows, (blocks * bits + 7) / 8);
            double[] real = new double[EXPERTS * rows * columns];
            for (int i = 0; i < real.length; i++) {
                int group = i / columns * blocks + (block == 0 ? 0 : i % columns / block);
                int zero = hasZeros ? zeros.numbers()[group] : 1 << (bits - 1);
                real[i] = (weights.numbers()[i] - zero) * scales.doubles()[group];
            }
            var layer = new Layer(rows, columns, real, null);
            return new Quantised(weights.bytes(), scales, hasZeros ? zeros.bytes() : null, layer);
        }
    }

    /** Rows of six weights end inside of a byte where they have two bits. */
    @ParameterizedTest
    @CsvSource({
        "4, 0, false",
        "2, 0, true",
        "2, 16, false",
        "4, 0, true",
        "8, 0, true",
        "4, 16, false",
        "4, 16, true",
        "8, 16, true",
        "8, 32, false"
    })
    void weightsOfFewBitsAreMadeReal(int bits, int block, boolean hasZeros) {
        int inner = 48;
        Tensor x = tokens;
        Quantised first = Quantised.of(random, bits, block, hasZeros, inner, WIDTH);
        Quantised second = Quantised.of(random, bits, block, hasZeros, WIDTH, inner);
        OneNode node = OneNode.of(OpId.MICROSOFT, "QMoE", 1)
                .with("k", 2)
                .with("activation_type", "silu")
                .with("expert_weight_bits", bits)
                .with("block_size", block);
        UnaryOperator<double[]> between =
                values -> Arrays.stream(values).map(function("silu")).toArray();
        Tensor y = node.run(
                x,
                scores,
                first.weights(),
                first.scales(),
                null,
                second.weights(),
                second.scales(),
                null,
                null,
                null,
                null,
                first.zeros(),
                second.zeros());
        assertThat(y.doubles())
                .containsExactly(mixture(2, false, experts(first.layer(), between, second.layer())), within(1e-4));
    }

    @Test
    void noTokenGoesNowhere() {
        Tensor y = moe(1, "relu")
                .run(
                        Tensor.allocate(ElementType.FLOAT, Shape.of(0, WIDTH)),
                        Tensor.allocate(ElementType.FLOAT, Shape.of(0, EXPERTS)),
                        normal(EXPERTS, INNER, WIDTH),
                        null,
                        normal(EXPERTS, WIDTH, INNER));
        assertThat(y.shape()).isEqualTo(Shape.of(0, WIDTH));
    }

    private AbstractThrowableAssert<?, ? extends Throwable> refused(Status status, OneNode node, Tensor... third) {
        Tensor first = normal(EXPERTS, third.length == 0 ? INNER : 2 * INNER, WIDTH);
        Tensor second = normal(EXPERTS, WIDTH, INNER);
        Tensor gates = third.length == 0 ? null : third[0];
        return assertThatThrownBy(() -> node.run(tokens, scores, first, null, second, null, gates))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status));
    }

    @Test
    void whatIsNotComputedIsNamed() {
        refused(Status.NOT_IMPLEMENTED, moe(1, "mish")).hasMessageContaining("activation_type 'mish'");
        refused(Status.NOT_IMPLEMENTED, moe(1, "relu").with("use_sparse_mixer", 1))
                .hasMessageContaining("use_sparse_mixer");
        refused(Status.NOT_IMPLEMENTED, moe(1, "swiglu")).hasMessageContaining("swiglu without a third layer");
        OneNode fused = moe(1, "swiglu").with("swiglu_fusion", 1);
        refused(Status.NOT_IMPLEMENTED, fused, normal(EXPERTS, INNER, WIDTH))
                .hasMessageContaining("gates both in the first layer and in a third one");
        refused(Status.INVALID_GRAPH, moe(1, "swiglu").with("swiglu_fusion", 3))
                .hasMessageContaining("swiglu_fusion is 3 where 0 to 2 is expected");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, EXPERTS + 1})
    void moreExpertsThanThereAreAreNotChosen(int chosen) {
        refused(Status.INVALID_ARGUMENT, moe(chosen, "relu"))
                .hasMessageContaining(chosen + " of " + EXPERTS + " experts are to be chosen");
    }
}
