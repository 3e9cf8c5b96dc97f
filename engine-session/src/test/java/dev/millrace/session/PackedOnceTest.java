package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.EpContextOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Weights that models of a group have in common are packed for the first of them alone. */
class PackedOnceTest {
    private static final int WIDTH = 160;
    private static final long WEIGHTS = (long) WIDTH * WIDTH * Float.BYTES;

    private final List<Long> kept = new ArrayList<>();

    @Test
    void theSecondModelHandsInTheMemoryThatTheFirstPacked(@TempDir Path folder) throws IOException {
        Path one = Files.write(folder.resolve("one.onnx"), TestModels.perceptron(3, WIDTH, 5));
        Path two = Files.write(folder.resolve("two.onnx"), TestModels.perceptron(4, WIDTH, 5));
        try (Engine engine = TestEngines.listened(WEIGHTS, kept);
                ContextGroup group = ContextGroup.create()) {
            var options = SessionOptions.builder()
                    .epContext(
                            EpContextOptions.builder().enable(true).group(group).build())
                    .build();
            engine.session(one, options).close();
            List<Long> first = List.copyOf(kept);
            assertThat(first).hasSize(3);
            System.gc();
            kept.clear();
            engine.session(two, options).close();
            assertThat(kept).hasSize(4).containsAll(first);
            group.write();
        }
    }
}
