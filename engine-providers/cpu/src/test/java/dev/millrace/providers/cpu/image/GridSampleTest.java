package dev.millrace.providers.cpu.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GridSampleTest {
    private final Random random = new Random(9);

    private float[] random(int count) {
        return RandomTensors.normal(random, count).floats();
    }

    private static float[] part(float[] values, int index, int count) {
        int each = values.length / count;
        return Arrays.copyOfRange(values, index * each, (index + 1) * each);
    }

    /** Points are sampled in blocks that begin and end anywhere in an image. */
    @ParameterizedTest
    @CsvSource({"linear,zeros", "nearest,border", "cubic,reflection", "cubic,zeros"})
    void imagesOfABatchAreSampledAsEachByItself(String mode, String padding) {
        int batch = 5;
        float[] images = random(batch * 3 * 4 * 5);
        float[] grid = random(batch * 11 * 13 * 2);
        OneNode sample = OneNode.onnx("GridSample", 22).with("mode", mode).with("padding_mode", padding);
        float[] all = sample.run(Tensor.copyOf(images, batch, 3, 4, 5), Tensor.copyOf(grid, batch, 11, 13, 2))
                .floats();
        for (int i = 0; i < batch; i++) {
            Tensor image = Tensor.copyOf(part(images, i, batch), 1, 3, 4, 5);
            Tensor points = Tensor.copyOf(part(grid, i, batch), 1, 11, 13, 2);
            assertThat(part(all, i, batch))
                    .containsExactly(sample.run(image, points).floats());
        }
    }

    @ParameterizedTest
    @CsvSource({"linear", "nearest", "cubic"})
    void volumesAreReadAtTheirElements(String mode) {
        float[] volume = random(2 * 2 * 3 * 4);
        float[] grid = new float[2 * 3 * 4 * 3];
        for (int i = 0; i < 24; i++) {
            grid[3 * i] = i % 4 * 2 / 3f - 1;
            grid[3 * i + 1] = i / 4 % 3 - 1;
            grid[3 * i + 2] = i / 12 * 2 - 1;
        }
        float[] read = OneNode.onnx("GridSample", 22)
                .with("mode", mode)
                .with("align_corners", 1)
                .run(Tensor.copyOf(volume, 1, 2, 2, 3, 4), Tensor.copyOf(grid, 1, 2, 3, 4, 3))
                .floats();
        assertThat(read).containsExactly(volume, within(1e-5f));
    }
}
