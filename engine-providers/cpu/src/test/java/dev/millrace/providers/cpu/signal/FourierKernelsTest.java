package dev.millrace.providers.cpu.signal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.api.Test;

class FourierKernelsTest {
    @Test
    void aSignalWithoutAnAxisOfPartsIsReal() {
        float[] samples = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        Tensor step = Tensor.scalar(2L);
        Tensor length = Tensor.scalar(4L);
        OneNode stft = OneNode.onnx("STFT", 17);
        assertThat(stft.run(Tensor.copyOf(samples, 2, 6), step, null, length).floats())
                .isEqualTo(stft.run(Tensor.copyOf(samples, 2, 6, 1), step, null, length)
                        .floats());
    }
}
