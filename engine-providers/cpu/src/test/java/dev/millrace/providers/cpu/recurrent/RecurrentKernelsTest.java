package dev.millrace.providers.cpu.recurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.Closeness;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.cpu.Planned;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of recurrent networks against their equations. */
class RecurrentKernelsTest {
    private static final double CLIP = 0.25;

    private final Random random = new Random(23);

    private Tensor small(long... dims) {
        return RandomTensors.uniform(random, -0.5f, 0.5f, dims);
    }

    /**
     * Random operands of a reference; the optional ones are there or missing together. The first sequence takes all
     * steps, each other one a step less, down to none.
     */
    private @Nullable Tensor[] operands(RecurrentReference reference, boolean all) {
        int directions = reference.directions();
        long rows = (long) reference.gates() * reference.units();
        boolean isLstm = reference.op().equals("LSTM");
        Tensor state = small(directions, reference.batch(), reference.units());
        int[] lengths = new int[reference.batch()];
        Arrays.setAll(lengths, n -> reference.steps() - n % (reference.steps() + 1));
        return new Tensor[] {
            small(reference.steps(), reference.batch(), reference.inputs()),
            small(directions, rows, reference.inputs()),
            small(directions, rows, reference.units()),
            all ? small(directions, 2 * rows) : null,
            all ? Tensor.copyOf(lengths, lengths.length) : null,
            all ? state : null,
            all && isLstm ? small(directions, reference.batch(), reference.units()) : null,
            all && isLstm ? small(directions, 3L * reference.units()) : null
        };
    }

    private static RecurrentReference.Results expected(RecurrentReference reference, @Nullable Tensor[] operands) {
        return reference.compute(new RecurrentReference.Operands(
                numbers(operands[0]),
                numbers(operands[1]),
                numbers(operands[2]),
                doubles(operands[3]),
                operands[4] == null ? null : operands[4].ints(),
                doubles(operands[5]),
                doubles(operands[6]),
                doubles(operands[7])));
    }

    private static double[] numbers(@Nullable Datum datum) {
        return ((Tensor) Objects.requireNonNull(datum)).doubles();
    }

    private static double @Nullable [] doubles(@Nullable Datum datum) {
        return datum == null ? null : ((Tensor) datum).doubles();
    }

    private static OneNode node(RecurrentReference reference) {
        return OneNode.onnx(reference.op(), 14)
                .with("hidden_size", reference.units())
                .with("direction", reference.direction())
                .outputs(reference.op().equals("LSTM") ? 3 : 2);
    }

    private static void check(RecurrentReference reference, OneNode node, @Nullable Tensor... operands) {
        RecurrentReference.Results expected = expected(reference, operands);
        List<Datum> results = node.runAll(operands);
        Closeness.assertClose(numbers(results.get(0)), expected.all(), 1e-5);
        Closeness.assertClose(numbers(results.get(1)), expected.hidden(), 1e-5);
        if (results.size() > 2) {
            Closeness.assertClose(numbers(results.get(2)), expected.cells(), 1e-5);
        }
    }

    /** Sizes around multiples of four, which weights are padded to, and batches around the 64 rows of a product. */
    @ParameterizedTest
    @CsvSource({
        "RNN, forward, 3, 2, 5, 4",
        "RNN, reverse, 4, 3, 1, 1",
        "RNN, bidirectional, 5, 65, 3, 2",
        "GRU, forward, 3, 2, 5, 4",
        "GRU, reverse, 1, 1, 1, 5",
        "GRU, bidirectional, 4, 3, 7, 3",
        "LSTM, forward, 3, 2, 5, 4",
        "LSTM, reverse, 2, 66, 2, 3",
        "LSTM, bidirectional, 4, 3, 7, 9"
    })
    void sequencesAreFollowedInEveryDirection(
            String op, String direction, int steps, int batch, int inputs, int units) {
        var reference = new RecurrentReference(op, direction, steps, batch, inputs, units);
        check(reference, node(reference), operands(reference, true));
        check(reference, node(reference), operands(reference, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RNN", "GRU", "LSTM"})
    void weightsThatComeWithTheRunGiveTheSame(String op) {
        var reference = new RecurrentReference(op, "bidirectional", 3, 2, 5, 3);
        @Nullable Tensor[] operands = operands(reference, true);
        assertThat(new Planned(node(reference).outputs(1), operands).run().doubles())
                .containsExactly(expected(reference, operands).all(), within(1e-5));
    }

    @ParameterizedTest
    @CsvSource({"RNN, ''", "GRU, linear_before_reset", "LSTM, input_forget"})
    void whatActivationsAreAppliedToIsClippedAndGatesVary(String op, String variant) {
        var plain = new RecurrentReference(op, "forward", 4, 2, 3, 3);
        var reference =
                new RecurrentReference(op, "forward", 4, 2, 3, 3, CLIP, !variant.isEmpty(), plain.f(), plain.g());
        OneNode node = node(reference).with("clip", Attribute.of((float) CLIP));
        if (!variant.isEmpty()) {
            node.with(variant, 1);
        }
        check(reference, node, operands(reference, true));
    }

    /** The other layout has the batch first. */
    @ParameterizedTest
    @ValueSource(strings = {"RNN", "GRU", "LSTM"})
    void theBatchMayComeFirst(String op) {
        var reference = new RecurrentReference(op, "bidirectional", 3, 2, 5, 4);
        @Nullable Tensor[] operands = operands(reference, true);
        RecurrentReference.Results expected = expected(reference, operands);
        operands[0] = swapped(numbers(operands[0]), 3, 2, 5);
        operands[5] = swapped(numbers(operands[5]), 2, 2, 4);
        operands[6] = operands[6] == null ? null : swapped(numbers(operands[6]), 2, 2, 4);
        List<Datum> results = node(reference).with("layout", 1).runAll(operands);
        double[] all = new double[expected.all().length];
        for (int i = 0; i < all.length; i++) {
            int unit = i % 4;
            int n = i / 4 % 2;
            int d = i / 8 % 2;
            int t = i / 16;
            all[((n * 3 + t) * 2 + d) * 4 + unit] = expected.all()[i];
        }
        assertThat(((Tensor) results.get(0)).shape()).isEqualTo(Shape.of(2, 3, 2, 4));
        Closeness.assertClose(numbers(results.get(0)), all, 1e-5);
        double[] hidden = swapped(expected.hidden(), 2, 2, 4).doubles();
        Closeness.assertClose(numbers(results.get(1)), hidden, 1e-5);
    }

    /** Returns a tensor with the first two axes exchanged. */
    private static Tensor swapped(double[] values, int first, int second, int inner) {
        float[] swapped = new float[values.length];
        for (int i = 0; i < values.length; i++) {
            int row = i / inner;
            swapped[(row % second * first + row / second) * inner + i % inner] = (float) values[i];
        }
        return Tensor.copyOf(swapped, second, first, inner);
    }

    private static DoubleUnaryOperator function(String name, double alpha, double beta) {
        return switch (name) {
            case "Relu" -> x -> Math.max(0, x);
            case "LeakyRelu" -> x -> x < 0 ? alpha * x : x;
            case "ThresholdedRelu" -> x -> x > alpha ? x : 0;
            case "HardSigmoid" -> x -> Math.clamp(alpha * x + beta, 0.0, 1.0);
            case "Elu" -> x -> x < 0 ? alpha * Math.expm1(x) : x;
            case "Softsign" -> x -> x / (1 + Math.abs(x));
            case "Softplus" -> x -> Math.log1p(Math.exp(x));
            case "Affine" -> x -> alpha * x + beta;
            case "ScaledTanh" -> x -> alpha * Math.tanh(beta * x);
            default -> throw new AssertionError(name);
        };
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Relu",
                "LeakyRelu",
                "ThresholdedRelu",
                "HardSigmoid",
                "Elu",
                "Softsign",
                "Softplus",
                "Affine",
                "ScaledTanh"
            })
    void activationsHaveTheirNamesInAnyCaseAndTheirParameters(String name) {
        DoubleUnaryOperator f = function(name, 0.3, 0.2);
        double infinity = Double.POSITIVE_INFINITY;
        var reference = new RecurrentReference("RNN", "forward", 2, 2, 3, 3, infinity, false, f, f);
        OneNode node = node(reference)
                .withTexts("activations", name.toUpperCase(Locale.ROOT))
                .with("activation_alpha", 0.3f)
                .with("activation_beta", 0.2f);
        check(reference, node, operands(reference, true));
    }

    /** Parameters are dealt to the functions that have them, one after the other. */
    @ParameterizedTest
    @CsvSource({"Softsign, LeakyRelu, 0.3", "LeakyRelu, Elu, 0.7", "Elu, Softsign, 0"})
    void functionsTakeTheParametersThatTheyHave(String first, String second, double alpha) {
        var reference = new RecurrentReference(
                "GRU",
                "forward",
                3,
                2,
                3,
                3,
                Double.POSITIVE_INFINITY,
                false,
                function(first, 0.3, 0),
                function(second, alpha, 0));
        OneNode node = node(reference).withTexts("activations", first, second).with("activation_alpha", 0.3f, 0.7f);
        check(reference, node, operands(reference, true));
    }

    @Test
    void nothingIsFollowedToItsFirstState() {
        var reference = new RecurrentReference("LSTM", "forward", 0, 2, 3, 4);
        check(reference, node(reference), operands(reference, true));
    }

    @Test
    void whatIsNoNumberStaysInItsSequence() {
        var reference = new RecurrentReference("GRU", "forward", 2, 2, 3, 3);
        @Nullable Tensor[] operands = operands(reference, false);
        float[] x = Objects.requireNonNull(operands[0]).floats();
        x[3] = Float.NaN;
        operands[0] = Tensor.copyOf(x, 2, 2, 3);
        Tensor hidden = (Tensor) node(reference).runAll(operands).get(1);
        assertThat(hidden.floats()).endsWith(Float.NaN, Float.NaN, Float.NaN);
        assertThat(hidden.floats()[0]).isFinite();
    }

    @Test
    void activationsThatNobodyKnowsAreNamed() {
        var reference = new RecurrentReference("LSTM", "forward", 1, 1, 1, 1);
        @Nullable Tensor[] operands = operands(reference, false);
        assertThatThrownBy(() -> node(reference)
                        .withTexts("activations", "Sigmoid", "Tanh", "Guess")
                        .run(operands))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_IMPLEMENTED))
                .hasMessageContaining("activation 'Guess'; known are [")
                .hasMessageContaining("ThresholdedRelu");
        assertThatThrownBy(() ->
                        node(reference).withTexts("activations", "Sigmoid").run(operands))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("attribute 'activations' names 1 functions, too few");
    }
}
