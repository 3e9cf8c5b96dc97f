package dev.millrace.providers.cpu.random;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.CpuKernels;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class RandomKernelsTest {
    @Test
    void twisterGivesThePublishedNumbers() {
        var random = new MersenneTwister(5489);
        assertThat(random.nextDouble()).isCloseTo(0.8147236863931789, within(1e-15));
        assertThat(random.nextDouble()).isCloseTo(0.9057919370756192, within(1e-15));
    }

    @Test
    void normalNumbersHaveTheAskedMeanAndDeviation() {
        float[] drawn = OneNode.onnx("RandomNormal", 1)
                .withAll("shape", 100L, 200L)
                .with("mean", Attribute.of(3f))
                .with("scale", Attribute.of(2f))
                .with("seed", Attribute.of(7f))
                .run()
                .floats();
        double mean = 0;
        double squares = 0;
        for (float x : drawn) {
            mean += x / drawn.length;
            squares += (x - 3.0) * (x - 3.0) / drawn.length;
        }
        assertThat(mean).isCloseTo(3, within(0.1));
        assertThat(Math.sqrt(squares)).isCloseTo(2, within(0.1));
    }

    @Test
    void aSeedGivesTheSameNumbersAndNoSeedOthers() {
        var seeded = OneNode.onnx("RandomUniform", 1)
                .withAll("shape", 50L)
                .with("low", Attribute.of(-1f))
                .with("seed", Attribute.of(1.5f));
        assertThat(seeded.run().floats()).isEqualTo(seeded.run().floats());
        var free = OneNode.onnx("RandomUniform", 1).withAll("shape", 50L);
        assertThat(free.run().floats()).isNotEqualTo(free.run().floats());
    }

    @Test
    void samplesFollowTheWeightsOfTheirRow() {
        Tensor weights = Tensor.copyOf(new float[] {0, (float) Math.log(3), -1000, -1000, -1000, 5}, 2, 3);
        long[] drawn = OneNode.onnx("Multinomial", 7)
                .with("sample_size", 4000L)
                .with("seed", Attribute.of(3f))
                .with("dtype", (long) ElementType.INT64.code())
                .run(weights)
                .longs();
        long ones = Arrays.stream(drawn, 0, 4000).filter(x -> x == 1).count();
        assertThat(ones).isBetween(2800L, 3200L);
        assertThat(Arrays.stream(drawn, 0, 4000)).doesNotContain(2L);
        assertThat(Arrays.stream(drawn, 4000, 8000)).containsOnly(2L);
    }

    @Test
    void whatDrawsIsNotPure() {
        var uniform = (ShapedKernel) Objects.requireNonNull(new CpuKernels()
                .create(OneNode.onnx("RandomUniform", 1).withAll("shape", 5L).node()));
        assertThat(uniform.isPure()).isFalse();
        Tensor x = Tensor.scalar(1f);
        var dropout = (ShapedKernel) Objects.requireNonNull(
                new CpuKernels().create(OneNode.onnx("Dropout", 13).node(x)));
        assertThat(dropout.isPure()).isTrue();
    }
}
