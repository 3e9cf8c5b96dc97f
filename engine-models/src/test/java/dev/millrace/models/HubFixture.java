package dev.millrace.models;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A hub with a large and a small file for each test, and the folder that files are fetched to. */
abstract class HubFixture {
    static final byte[] LARGE = new byte[300_000];

    @TempDir
    Path folder = Path.of("");

    TestHub hub;
    final List<Duration> pauses = new CopyOnWriteArrayList<>();

    @BeforeEach
    void startHub() throws IOException {
        new Random(7).nextBytes(LARGE);
        hub = new TestHub().with("onnx/data.bin", LARGE).with("config.json", "{}");
    }

    @AfterEach
    void stopHub() {
        hub.close();
    }

    ModelFiles models(UnaryOperator<FetchOptions.Builder> change) {
        var options = FetchOptions.builder()
                .hubCache(folder.resolve("hub"))
                .folder(folder.resolve("own"))
                .endpoint(hub.endpoint())
                .token(null)
                .offline(false)
                .patience(Duration.ofSeconds(20));
        return ModelFiles.with(change.apply(options).build(), pauses::add);
    }

    ModelFiles models() {
        return models(options -> options);
    }

    Path fetch(String name) {
        return models().fetch(ModelName.parse(name)).file();
    }

    Path repository() {
        return folder.resolve("hub/models--org--net");
    }
}
