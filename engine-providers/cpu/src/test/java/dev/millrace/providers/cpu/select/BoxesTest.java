package dev.millrace.providers.cpu.select;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.api.Test;

class BoxesTest {
    @Test
    void zerosAreTheSameScoreWhateverTheirSign() {
        Tensor boxes = Tensor.copyOf(new float[] {0, 0, 1, 1, 0, 0, 1, 1, 4, 4, 5, 5}, 1, 3, 4);
        Tensor scores = Tensor.copyOf(new float[] {-0f, 0, -0f}, 1, 1, 3);
        Tensor chosen = (Tensor) OneNode.onnx("NonMaxSuppression", 11)
                .runAll(boxes, scores, Tensor.scalar(3L), Tensor.scalar(0.5f), Tensor.scalar(-1f))
                .getFirst();
        assertThat(chosen.longs()).containsExactly(0, 0, 0, 0, 0, 2);
    }
}
