package dev.millrace.graph.optimise.passes;

import static dev.millrace.graph.optimise.TestGraph.withInt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.TestGraph;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ConvFusionsTest {
    private final TestGraph g = new TestGraph();
    private final Value x = g.input("n", 2, 5, 5);

    private Value floats(float... values) {
        return g.constant(Tensor.copyOf(values, values.length));
    }

    private Value batchNorm(Value of) {
        var epsilon = Attributes.of("epsilon", Attribute.of(0f));
        return g.op("BatchNormalization", epsilon, of, floats(2, 3), floats(10, 20), floats(1, 2), floats(4, 9));
    }

    @Test
    void batchNormScalesTheWeightsAndShiftsTheBias() {
        g.output(batchNorm(g.op("Conv", x, g.counting(2, 2, 1, 1), floats(5, 6))));

        assertThat(g.run("conv-batchnorm")).isEqualTo(1);

        assertThat(g.ops()).containsExactly("Conv");
        assertThat(g.constantOf("Conv", 1).floats()).containsExactly(1, 2, 3, 4);
        assertThat(g.constantOf("Conv", 2).floats()).containsExactly(5 + 10 - 1, 6 + 20 - 2);
    }

    @Test
    void batchNormTakesInWhatScalesAndShiftsItsChannels() {
        Value norm = batchNorm(g.op("Conv", x, g.counting(2, 2, 1, 1), floats(5, 6)));
        Value scaled = g.op("Mul", norm, g.constant(Tensor.copyOf(new float[] {10, 100}, 2, 1, 1)));
        g.output(g.op("Sub", g.constant(Tensor.copyOf(new float[] {7}, 1)), scaled));

        assertThat(g.run("batchnorm-arithmetic", "conv-batchnorm")).isEqualTo(3);

        assertThat(g.ops()).containsExactly("Conv");
        assertThat(g.constantOf("Conv", 1).floats()).containsExactly(-10, -20, -300, -400);
        assertThat(g.constantOf("Conv", 2).floats()).containsExactly(7 - 10 * (5 + 10 - 1), 7 - 100 * (6 + 20 - 2));
    }

    @Test
    void batchNormThatIsReadElsewhereOrScaledByRowsTakesInNothing() {
        Value norm = batchNorm(x);
        g.output(g.op("Mul", norm, floats(2)));
        g.output(g.op("Relu", norm));
        g.output(g.op("Mul", batchNorm(x), floats(1, 2, 3, 4, 5)));

        assertThat(g.run("batchnorm-arithmetic")).isZero();
    }

    @Test
    void theWeightsOfAConvTransposeAreScaledByOutputChannel() {
        g.output(batchNorm(g.op("ConvTranspose", x, g.counting(2, 2, 1, 1))));

        assertThat(g.run("conv-batchnorm")).isEqualTo(1);

        assertThat(g.constantOf("ConvTranspose", 1).floats()).containsExactly(1, 2, 3, 4);
        assertThat(g.constantOf("ConvTranspose", 2).floats()).containsExactly(10 - 1, 20 - 2);
    }

    @Test
    void groupsOfAConvTransposeKeepTheirChannels() {
        g.output(g.op(
                "Mul",
                g.op("ConvTranspose", withInt("group", 2), x, g.counting(2, 1, 1, 1)),
                g.constant(Tensor.copyOf(new float[] {10, 100}, 2, 1, 1))));

        assertThat(g.run("conv-arithmetic")).isEqualTo(1);

        assertThat(g.constantOf("ConvTranspose", 1).floats()).containsExactly(10, 200);
    }

    @Test
    void batchNormInTrainingStays() {
        var training = Attributes.of(Map.of("training_mode", Attribute.of(1L)));
        var conv = g.op("Conv", x, g.counting(2, 2, 1, 1));
        g.output(g.op("BatchNormalization", training, conv, floats(2, 3), floats(0, 0), floats(0, 0), floats(1, 1)));

        assertThat(g.run("conv-batchnorm")).isZero();
    }

    @Test
    void aConvolutionThatIsReadElsewhereStays() {
        var conv = g.op("Conv", x, g.counting(2, 2, 1, 1));
        g.output(batchNorm(conv));
        g.output(g.op("Relu", conv));

        assertThat(g.run("conv-batchnorm")).isZero();
    }

    @Test
    void aConvolutionThatIsAnOutputStays() {
        var conv = g.op("Conv", x, g.counting(2, 2, 1, 1));
        g.output(batchNorm(conv));
        g.output(conv);

        assertThat(g.run("conv-batchnorm")).isZero();
    }

    @Test
    void weightsFromOutsideStay() {
        g.output(batchNorm(g.op("Conv", x, g.input(2, 2, 1, 1))));

        assertThat(g.run("conv-batchnorm")).isZero();
    }

    @Test
    void arithmeticInARowGoesIntoWeightsAndBias() {
        var conv = g.op("Conv", x, g.counting(2, 2, 1, 1));
        var perChannel = g.constant(Tensor.copyOf(new float[] {10, 100}, 1, 2, 1, 1));
        var shifted = g.op("Sub", g.scalar(1), g.op("Add", g.op("Mul", conv, perChannel), g.scalar(5)));
        g.output(g.op("Div", shifted, g.scalar(2)));

        assertThat(g.run("conv-arithmetic")).isEqualTo(4);

        assertThat(g.ops()).containsExactly("Conv");
        assertThat(g.constantOf("Conv", 1).floats()).containsExactly(-5, -10, -150, -200);
        assertThat(g.constantOf("Conv", 2).floats()).containsExactly(new float[] {-2, -2}, within(1e-6f));
    }

    @Test
    void aConstantPerPositionStays() {
        g.output(g.op("Mul", g.op("Conv", x, g.counting(2, 2, 1, 1)), g.counting(5)));

        assertThat(g.run("conv-arithmetic")).isZero();
    }

    @Test
    void aConstantThatRaisesTheRankStays() {
        var five = g.constant(Tensor.copyOf(new float[] {2}, 1, 1, 1, 1, 1));
        g.output(g.op("Mul", g.op("Conv", x, g.counting(2, 2, 1, 1)), five));

        assertThat(g.run("conv-arithmetic")).isZero();
    }

    @Test
    void divisionByTheConvolutionOrByZeroStays() {
        g.output(g.op("Div", g.scalar(1), g.op("Conv", x, g.counting(2, 2, 1, 1))));
        g.output(g.op("Div", g.op("Conv", x, g.counting(2, 2, 1, 1)), g.scalar(0)));

        assertThat(g.run("conv-arithmetic")).isZero();
    }
}
