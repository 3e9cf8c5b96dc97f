package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Comparator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests repositories: layouts, version policies, control modes, replacement, and what fails to load. */
class RepositoryTest {
    @TempDir
    Path folder;

    private static String request(float value) {
        return "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1, 1], \"data\": [" + value
                + "]}]}";
    }

    private static String answer(RestClient client, String model) {
        var answer = client.post("v2/models/" + model + "/infer", request(1));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    @Test
    void layoutsAndVersionPolicies() {
        new TestRepository(folder)
                .version("latest", 1, ServerModels.plus(1, 1))
                .version("latest", 10, ServerModels.plus(10, 1))
                .version("latest", 9, ServerModels.plus(9, 1))
                .config("chosen", "version_policy { specific { versions: [1, 3] } }")
                .version("chosen", 1, ServerModels.plus(1, 1))
                .version("chosen", 2, ServerModels.plus(2, 1))
                .version("chosen", 3, ServerModels.plus(3, 1))
                .write("nested/1/model.onnx/model.onnx", ServerModels.plus(4, 1))
                .config("renamed", "default_model_filename: \"other.onnx\"")
                .write("renamed/1/other.onnx", ServerModels.plus(5, 1))
                .write("file.onnx", ServerModels.plus(6, 1))
                .write(".hidden/1/model.onnx", new byte[1]);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(server.isReady()).isTrue();
            assertThat(answer(client, "latest")).contains("\"model_version\":\"10\"", "\"data\":[11.0]");
            assertThat(client.post("v2/models/latest/versions/9/infer", request(1))
                            .status())
                    .isEqualTo(404);
            assertThat(answer(client, "chosen")).contains("\"model_version\":\"3\"");
            assertThat(answer(client, "chosen/versions/1")).contains("\"data\":[2.0]");
            assertThat(answer(client, "nested")).contains("\"data\":[5.0]");
            assertThat(answer(client, "renamed")).contains("\"data\":[6.0]");
            assertThat(answer(client, "file")).contains("\"data\":[7.0]");
            assertThat(client.post("v2/repository/index", "{}").body()).doesNotContain("hidden");
        }
    }

    @Test
    void aModelThatFailsHarmsNoOther() {
        new TestRepository(folder)
                .version("good", 1, ServerModels.plus(1, 1))
                .version("broken", 1, new byte[] {1, 2, 3})
                .config("odd", "platform: \"tensorrt_plan\"")
                .version("odd", 1, ServerModels.plus(1, 1))
                .config("typo", "max_batch_sise: 4")
                .version("typo", 1, ServerModels.plus(1, 1));
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(server.isReady()).isFalse();
            assertThat(client.get("v2/health/ready").status()).isEqualTo(503);
            assertThat(answer(client, "good")).contains("2.0");
            var refused = client.post("v2/models/broken/infer", request(1));
            assertThat(refused.status()).isEqualTo(503);
            assertThat(client.post("v2/repository/index", "").body())
                    .contains("{\"name\":\"good\",\"version\":\"1\",\"state\":\"READY\"}")
                    .contains("{\"name\":\"broken\",\"version\":\"1\",\"state\":\"UNAVAILABLE\",\"reason\":")
                    .contains("tensorrt_plan", "max_batch_sise");
            assertThat(client.post("v2/repository/index", "{\"ready\": true}").body())
                    .doesNotContain("broken");
            assertThat(client.post("v2/repository/models/good/load", "").status())
                    .isEqualTo(503);
        }
    }

    @Test
    void theHighestVersionThatCanBeLoadedAnswersAfterTheStart() throws Exception {
        var repository = new TestRepository(folder)
                .version("plus", 1, ServerModels.plus(1, 1))
                .version("plus", 2, ServerModels.plus(2, 1))
                .version("plus", 3, new byte[] {1, 2, 3})
                .version("chosen", 1, ServerModels.plus(1, 1))
                .version("chosen", 2, new byte[] {1, 2, 3})
                .config("chosen", "version_policy: { specific: { versions: [2] } }");
        var options = TestServers.options(folder).control(ControlMode.POLL).pollInterval(Duration.ofMillis(20));
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(answer(client, "plus")).contains("\"model_version\":\"2\"", "3.0");
            // many looks at the folder leave the reason as it is
            for (int i = 0; i < 30; i++) {
                assertThat(client.post("v2/repository/index", "{}").body())
                        .contains("{\"name\":\"plus\",\"version\":\"2\",\"state\":\"READY\"}")
                        .contains("{\"name\":\"plus\",\"version\":\"3\",\"state\":\"UNAVAILABLE\",\"reason\":")
                        .contains("{\"name\":\"chosen\",\"version\":\"2\",\"state\":\"UNAVAILABLE\",\"reason\":");
                TimeUnit.MILLISECONDS.sleep(5);
            }
            assertThat(client.post("v2/models/chosen/infer", request(1)).status())
                    .isEqualTo(503);
            repository.version("plus", 3, ServerModels.plus(5, 1));
            await(() -> answer(client, "plus").contains("\"model_version\":\"3\""));
            assertThat(answer(client, "plus")).contains("6.0");
        }
    }

    @Test
    void requestsLoadAndUnloadModels() {
        new TestRepository(folder).version("a", 1, ServerModels.plus(1, 1)).version("b", 1, ServerModels.plus(2, 1));
        var options = TestServers.options(folder).control(ControlMode.EXPLICIT).loaded("a");
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(answer(client, "a")).contains("2.0");
            assertThat(client.post("v2/models/b/infer", request(1)).status()).isEqualTo(404);
            assertThat(client.post("v2/repository/index", "").body())
                    .contains("{\"name\":\"b\"}", "\"name\":\"a\",\"version\":\"1\"");
            assertThat(client.post("v2/repository/models/b/load", "").status()).isEqualTo(200);
            assertThat(answer(client, "b")).contains("3.0");
            assertThat(client.post("v2/repository/models/b/unload", "").status())
                    .isEqualTo(200);
            var gone = client.post("v2/models/b/infer", request(1));
            assertThat(gone.status()).isEqualTo(503);
            assertThat(gone.body()).contains("unloaded");
            assertThat(client.get("v2/health/ready").status()).isEqualTo(200);
            assertThat(client.post("v2/repository/models/c/load", "").status()).isEqualTo(404);
            assertThat(client.post("v2/repository/other/models/a/load", "").status())
                    .isEqualTo(501);
        }
    }

    /** Repeated, because a request that follows an answer of another thread must not be left unread. */
    @RepeatedTest(20)
    @Timeout(60)
    void aRequestBringsConfigurationAndFiles() {
        new TestRepository(folder).version("a", 1, ServerModels.plus(1, 1));
        var options = TestServers.options(folder).control(ControlMode.EXPLICIT).loaded("a");
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(client.post(
                                    "v2/repository/models/a/load",
                                    "{\"parameters\": {\"config\": \"{\\\"max_batch_size\\\": 4}\"}}")
                            .status())
                    .isEqualTo(200);
            assertThat(client.get("v2/models/a/config").body()).contains("\"max_batch_size\":4");
            String file = Base64.getEncoder().encodeToString(ServerModels.plus(5, 1));
            String load = "{\"parameters\": {\"config\": \"{}\", \"file:%s\": \"" + file + "\"}}";
            assertThat(client.post("v2/repository/models/new/load", load.formatted("7/model.onnx"))
                            .status())
                    .isEqualTo(200);
            assertThat(answer(client, "new")).contains("\"model_version\":\"7\"", "6.0");
            assertThat(client.post("v2/repository/models/new/load", load.formatted("../../x"))
                            .body())
                    .contains("outside of the model's folder");
            assertThat(client.post("v2/repository/models/new/load", load.formatted("1\\u0000"))
                            .body())
                    .contains("no possible name");
            assertThat(client.post("v2/repository/models/..%2fnew/load", load.formatted("1/model.onnx"))
                            .body())
                    .contains("is no name of a model");
            assertThat(client.post("v2/repository/models/a/load", "{\"parameters\": {\"file:1/model.onnx\": \"AA==\"}}")
                            .body())
                    .contains("need the parameter 'config'");
            assertThat(client.post("v2/repository/models/a/load", "{\"parameters\": {\"file:1/m\": \"?\"}}")
                            .body())
                    .contains("no base64");
            assertThat(answer(client, "new")).contains("6.0");
        }
    }

    @Test
    void pollingFindsNewModelsAndVersionsAndKeepsTheLastGoodOne() throws Exception {
        var repository = new TestRepository(folder).version("a", 1, ServerModels.plus(1, 1));
        var options = TestServers.options(folder).control(ControlMode.POLL).pollInterval(Duration.ofMillis(50));
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            assertThat(answer(client, "a")).contains("2.0");
            repository.version("b", 1, ServerModels.plus(3, 1));
            await(() -> client.post("v2/models/b/infer", request(1)).status() == 200);
            repository.version("a", 2, ServerModels.plus(2, 1));
            await(() -> answer(client, "a").contains("\"data\":[3.0]"));
            repository.version("a", 3, new byte[] {1});
            await(() -> client.post("v2/repository/index", "")
                    .body()
                    .contains("\"version\":\"3\",\"state\":\"UNAVAILABLE\""));
            assertThat(answer(client, "a")).contains("\"model_version\":\"2\"", "3.0");
            assertThat(server.isReady()).isTrue();
            repository.version("a", 3, ServerModels.plus(7, 1));
            await(() -> answer(client, "a").contains("\"data\":[8.0]"));
            delete(folder.resolve("b"));
            await(() -> client.post("v2/models/b/infer", request(1)).status() == 404);
        }
    }

    @Test
    void versionsAreReplacedUnderLoadWithoutAFailedRequest() throws Exception {
        var repository = new TestRepository(folder).version("a", 1, ServerModels.plus(0, 1));
        var options = TestServers.options(folder).control(ControlMode.EXPLICIT).loaded("a");
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            var going = new AtomicBoolean(true);
            var answered = new AtomicInteger();
            var failed = new AtomicInteger();
            var threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                threads[i] = Thread.ofPlatform().start(() -> {
                    while (going.get()) {
                        int status =
                                client.post("v2/models/a/infer", request(1)).status();
                        (status == 200 ? answered : failed).incrementAndGet();
                    }
                });
            }
            for (int i = 1; i <= 100; i++) {
                repository.version("a", 1, i % 5 == 0 ? new byte[] {9} : ServerModels.plus(i, 1));
                int status = client.post("v2/repository/models/a/load", "").status();
                assertThat(status).isEqualTo(i % 5 == 0 ? 400 : 200);
            }
            going.set(false);
            for (Thread each : threads) {
                each.join();
            }
            assertThat(failed).hasValue(0);
            assertThat(answered.get()).isPositive();
            assertThat(answer(client, "a")).contains("\"data\":[100.0]");
            assertThat(client.post("v2/repository/index", "").body()).contains("\"state\":\"READY\",\"reason\":");
        }
    }

    private static void delete(Path path) throws IOException {
        try (var all = Files.walk(path)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 400 && !condition.getAsBoolean(); i++) {
            TimeUnit.MILLISECONDS.sleep(25);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }
}
