package dev.millrace.providers.cpu.train;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrainKernelsTest {
    @Test
    void gradientsAndWhatIsKeptMayBeOfOtherTypesThanTheTensor() {
        OneNode momentum = OneNode.of("ai.onnx.preview.training", "Momentum", 1)
                .with("alpha", Attribute.of(0.5f))
                .with("beta", Attribute.of(1f))
                .with("norm_coefficient", Attribute.of(0f))
                .with("mode", "standard")
                .outputs(2);

        List<Datum> results = momentum.runAll(
                Tensor.scalar(0.5f),
                Tensor.scalar(3L),
                Tensor.copyOf(new double[] {1, 2}, 2),
                Tensor.copyOf(new float[] {4, 8}, 2),
                Tensor.copyOf(new float[] {2, 4}, 2));

        assertThat(((Tensor) results.getFirst()).doubles()).containsExactly(1 - 0.5 * 5, 2 - 0.5 * 10);
        assertThat(((Tensor) results.getLast()).type()).isEqualTo(ElementType.FLOAT);
        assertThat(((Tensor) results.getLast()).floats()).containsExactly(5, 10);
    }
}
