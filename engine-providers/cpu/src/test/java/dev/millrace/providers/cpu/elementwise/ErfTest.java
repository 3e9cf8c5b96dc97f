package dev.millrace.providers.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErfTest {
    @ParameterizedTest
    @ValueSource(floats = {6, 100, 65504, 1e9f, Float.MAX_VALUE, Float.POSITIVE_INFINITY})
    void endsAtOne(float x) {
        Tensor ends = Tensor.copyOf(new float[] {x, -x}, 2);
        assertThat(OneNode.onnx("Erf", 13).run(ends).floats()).containsExactly(1, -1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "tanh"})
    void geluOfWhatIsFarBelowZeroIsZero(String approximate) {
        Tensor below = Tensor.copyOf(new float[] {-100, -65504, -1e9f}, 3);
        assertThat(OneNode.onnx("Gelu", 20)
                        .with("approximate", approximate)
                        .run(below)
                        .floats())
                .containsExactly(-0f, -0f, -0f);
    }
}
