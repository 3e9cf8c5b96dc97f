package dev.millrace.providers.cpu.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SoftmaxTest {
    @ParameterizedTest
    @ValueSource(floats = {0, 1e17f, -1e17f, 1e38f})
    void theLogarithmOfTwoEqualsIsThatOfAHalfHoweverLargeTheyAre(float logit) {
        Tensor result = OneNode.onnx("LogSoftmax", 13).run(Tensor.copyOf(new float[] {logit, logit}, 2));
        assertThat(result.floats()[0]).isEqualTo((float) Math.log(0.5), within(1e-7f));
        assertThat(result.floats()[1]).isEqualTo(result.floats()[0]);
    }
}
