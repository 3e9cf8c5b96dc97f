package dev.millrace.bench.serve;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A short form of {@code bench serve}, of small models: everybody is served, by all sides. Nothing is timed here. */
@Tag("reference")
class ServeIT {
    private static final double SECONDS = 2;

    @TempDir
    private Path folder;

    /** y = relu(x W), of so many numbers. */
    private Path model(String name, int width) throws IOException {
        var random = new SplittableRandom(width);
        Tensor weights = RandomTensors.uniform(random, -0.5f, 0.5f, width, width);
        var model = new ReferenceModel();
        var x = model.input("x", Tensor.copyOf(new float[width], 1, width));
        var product = model.node("MatMul", x, model.constant("w", weights));
        model.output("y", model.node("Relu", product));
        return Files.write(folder.resolve(name + ".onnx"), model.bytes());
    }

    private Orders orders(ServeSide side, ServedModels served) {
        return new Orders(side, SECONDS, 20, 3, 4, 0, served.files());
    }

    private ServedModels models() throws IOException {
        return ServedModels.of(
                List.of(model("light", 16).toString(), model("heavy", 256).toString()));
    }

    @Test
    void everyClientOfEachSideIsAnswered() throws Exception {
        try (ServedModels served = models()) {
            for (ServeSide side : ServeSide.values()) {
                LoadFigures figures = LoadFigures.of(orders(side, served));
                assertThat(figures.failures()).as(side.label()).isZero();
                assertThat(figures.perSecond()).as(side.label()).hasSize(2).allMatch(rate -> rate > 0);
                assertThat(figures.fairness()).as(side.label()).isBetween(0.1, 1.0);
                assertThat(figures.peakMib()).as(side.label()).isGreaterThan(1);
            }
        }
    }

    @Test
    void aLightModelIsAnsweredBesideAHeavyOne() throws Exception {
        try (ServedModels served = models()) {
            LightFigures figures = LightFigures.of(new Orders(ServeSide.OURS, SECONDS, 8, 1, 1, 0, served.files()));
            assertThat(figures.failures()).isZero();
            assertThat(figures.aloneMicros()).isPositive();
            assertThat(figures.besideMicros()).isPositive();
            assertThat(figures.heavyPerSecond()).isPositive();
        }
    }

    @Test
    void noRequestFailsWhileModelsAreReplaced() throws Exception {
        try (ServedModels served = models()) {
            ReplacingFigures figures = ReplacingFigures.of(orders(ServeSide.OURS, served), 30);
            assertThat(figures.failures()).isZero();
            assertThat(figures.afterMib()).isPositive().isLessThan(2 * figures.beforeMib());
        }
    }
}
