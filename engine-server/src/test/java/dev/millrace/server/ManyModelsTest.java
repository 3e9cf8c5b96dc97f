package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.DoublePredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a repository of many models: all of them answer, and unloading them returns their memory. */
@Timeout(120)
class ManyModelsTest {
    private static final int COUNT = 200;
    private static final int WIDTH = 64;
    private static final int WEIGHTS = WIDTH * WIDTH * Float.BYTES;
    private static final Pattern GAUGE = Pattern.compile("(?m)^millrace_memory_weights_bytes(?:\\{.*})? (\\S+)$");

    @TempDir
    Path folder;

    private static double weights(RestClient client) {
        Matcher gauge = GAUGE.matcher(client.get("metrics").body());
        assertThat(gauge.find()).isTrue();
        return Double.parseDouble(gauge.group(1));
    }

    private static double awaitWeights(RestClient client, DoublePredicate wanted) throws InterruptedException {
        for (int i = 0; i < 400 && !wanted.test(weights(client)); i++) {
            TimeUnit.MILLISECONDS.sleep(25);
        }
        return weights(client);
    }

    private static String first(RestClient client, int model) {
        String row = "1" + ",0".repeat(WIDTH - 1);
        return client.post(
                        "v2/models/m" + model + "/infer",
                        "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1, " + WIDTH
                                + "], \"data\": [" + row + "]}]}")
                .body();
    }

    @Test
    void twoHundredModelsAnswerAndUnloadingReturnsTheirMemory() throws Exception {
        var repository = new TestRepository(folder);
        for (int i = 0; i < COUNT; i++) {
            repository.version("m" + i, 1, ServerModels.product(WIDTH, i + 1));
        }
        var names = new String[COUNT];
        for (int i = 0; i < COUNT; i++) {
            names[i] = "m" + i;
        }
        var options = TestServers.options(folder).control(ControlMode.EXPLICIT).loaded(names);
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(server.isReady()).isTrue();
            for (int i = 0; i < COUNT; i += 20) {
                assertThat(first(client, i)).contains("\"data\":[" + (i + 1) + ".0,");
            }
            double loaded = weights(client);
            assertThat(loaded).isBetween((double) COUNT * WEIGHTS, 2.0 * COUNT * WEIGHTS);
            for (int i = 0; i < COUNT / 2; i++) {
                assertThat(client.post("v2/repository/models/m" + i + "/unload", "")
                                .status())
                        .isEqualTo(200);
            }
            assertThat(awaitWeights(client, now -> now <= loaded * 0.51)).isBetween(loaded * 0.49, loaded * 0.51);
            assertThat(first(client, COUNT - 1)).contains("\"data\":[" + COUNT + ".0,");
            for (int i = COUNT / 2; i < COUNT; i++) {
                client.post("v2/repository/models/m" + i + "/unload", "");
            }
            assertThat(awaitWeights(client, now -> now == 0)).isZero();
        }
    }
}
