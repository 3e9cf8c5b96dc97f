package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.Random;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A long bidirectional LSTM against the same in doubles. Weights are such that a difference does not grow by itself. */
class RecurrentDoublesTest {
    private static final int STEPS = 64;
    private static final int BATCH = 2;
    private static final int INPUTS = 16;
    private static final int UNITS = 32;
    private static final int GATES = 4 * UNITS;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Random random = new Random(77);

    private Tensor drawn(double deviation, long... dims) {
        return RandomTensors.reals(ElementType.FLOAT, Shape.of(dims), () -> deviation * random.nextGaussian());
    }

    @ParameterizedTest
    @CsvSource({"cpu, true", "cpu, false", "simd cpu, true", "simd cpu, false"})
    void manyStepsStayCloseToDoubles(String providers, boolean areInputs) {
        Tensor x = drawn(1, STEPS, BATCH, INPUTS);
        Tensor[] weights = {
            drawn(0.3, 2, GATES, INPUTS), drawn(0.3, 2, GATES, UNITS), drawn(0.3, 2, 2 * GATES),
        };
        OneOperator lstm = OneOperator.onnx("LSTM", 14)
                .with("hidden_size", UNITS)
                .with("direction", "bidirectional")
                .on(x);
        Tensor states = (areInputs ? lstm.on(weights) : lstm.holding(weights)).run(engine, providers.split(" "));
        double[] exact = inDoubles(
                OneOperator.numbers(x),
                OneOperator.numbers(weights[0]),
                OneOperator.numbers(weights[1]),
                OneOperator.numbers(weights[2]));
        assertThat(OneOperator.numbers(states)).containsExactly(exact, Offset.offset(2e-6));
    }

    private static double[] inDoubles(double[] x, double[] w, double[] r, double[] biases) {
        double[] states = new double[STEPS * 2 * BATCH * UNITS];
        for (int line = 0; line < 2 * BATCH; line++) {
            int direction = line / BATCH;
            double[] hidden = new double[UNITS];
            double[] cell = new double[UNITS];
            for (int step = 0; step < STEPS; step++) {
                int time = direction == 0 ? step : STEPS - 1 - step;
                double[] gates = new double[GATES];
                for (int gate = 0; gate < GATES; gate++) {
                    int row = direction * GATES + gate;
                    double sum = biases[direction * 2 * GATES + gate] + biases[direction * 2 * GATES + GATES + gate];
                    for (int i = 0; i < INPUTS; i++) {
                        sum += w[row * INPUTS + i] * x[(time * BATCH + line % BATCH) * INPUTS + i];
                    }
                    for (int i = 0; i < UNITS; i++) {
                        sum += r[row * UNITS + i] * hidden[i];
                    }
                    gates[gate] = sum;
                }
                for (int i = 0; i < UNITS; i++) {
                    double fresh = sigmoid(gates[i]) * Math.tanh(gates[3 * UNITS + i]);
                    cell[i] = sigmoid(gates[2 * UNITS + i]) * cell[i] + fresh;
                    hidden[i] = sigmoid(gates[UNITS + i]) * Math.tanh(cell[i]);
                    states[(time * 2 * BATCH + line) * UNITS + i] = hidden[i];
                }
            }
        }
        return states;
    }

    private static double sigmoid(double x) {
        return 1 / (1 + Math.exp(-x));
    }
}
