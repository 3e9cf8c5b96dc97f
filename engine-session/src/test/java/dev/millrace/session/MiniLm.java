package dev.millrace.session;

import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;

/** The real model that a test dependency carries, as a file. */
public final class MiniLm {
    private MiniLm() {}

    public static Path file() throws IOException {
        Path file = Path.of("target", "test-models", "minilm.onnx");
        if (!Files.exists(file)) {
            Files.createDirectories(file.getParent());
            Path part = Files.createTempFile(file.getParent(), "minilm", ".part");
            try (InputStream in = MiniLm.class.getResourceAsStream("/all-minilm-l6-v2.onnx")) {
                Files.copy(
                        Objects.requireNonNull(in, "the test dependency that carries the model is missing"),
                        part,
                        StandardCopyOption.REPLACE_EXISTING);
            }
            Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
        }
        return file;
    }

    public static Inputs inputs(int batch, int tokens, long seed) {
        var random = new Random(seed);
        long[] ids = random.longs((long) batch * tokens, 1, 30000).toArray();
        long[] mask = new long[ids.length];
        Arrays.fill(mask, 1);
        return Inputs.of("input_ids", Tensor.copyOf(ids, batch, tokens))
                .and("attention_mask", Tensor.copyOf(mask, batch, tokens))
                .and("token_type_ids", Tensor.copyOf(new long[ids.length], batch, tokens));
    }
}
