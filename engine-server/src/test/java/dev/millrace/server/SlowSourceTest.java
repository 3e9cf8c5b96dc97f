package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchListener;
import dev.millrace.models.FetchOptions;
import dev.millrace.models.FetchedModel;
import dev.millrace.models.ModelFiles;
import dev.millrace.models.ModelName;
import dev.millrace.server.source.ModelSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Base64;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that a source which answers slowly keeps no other model waiting, and that a fetch can be ended. */
@Timeout(60)
class SlowSourceTest {
    private static final byte[] MODEL = ServerModels.plus(3, 1);
    private static final AtomicInteger CANCELLED = new AtomicInteger();
    private static final AtomicInteger FETCHES = new AtomicInteger();

    /** A source {@code slow:FOLDER:ADDRESS}, which fetches by HTTP into a folder. The services of the tests name it. */
    public static final class SlowSource implements ModelSource {
        @Override
        public boolean accepts(String name) {
            return name.startsWith("slow:");
        }

        @Override
        public FetchedModel fetch(String name) {
            return fetch(name, FetchListener.NONE);
        }

        @Override
        public FetchedModel fetch(String name, FetchListener listener) {
            FETCHES.incrementAndGet();
            String[] parts = name.split(":", 3);
            var options = FetchOptions.builder()
                    .folder(Path.of(parts[1]))
                    .listener(listener)
                    .build();
            try {
                return ModelFiles.with(options).fetch(ModelName.parse(parts[2]));
            } catch (EngineException e) {
                CANCELLED.addAndGet(e.status() == Status.CANCELLED ? 1 : 0);
                throw e;
            }
        }
    }

    @TempDir
    Path folder;

    private final HttpServer hub = hub();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch allowed = new CountDownLatch(1);
    private final Semaphore asked = new Semaphore(0);
    private final AtomicInteger answers = new AtomicInteger();

    private static HttpServer hub() {
        try {
            return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @BeforeEach
    void start() {
        CANCELLED.set(0);
        FETCHES.set(0);
        hub.createContext("/", this::answer);
        hub.setExecutor(threads);
        hub.start();
    }

    @AfterEach
    void end() {
        allowed.countDown();
        hub.stop(0);
        threads.shutdownNow();
    }

    /** Sends a half of the model, and the other half once it is allowed. */
    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            answers.incrementAndGet();
            exchange.sendResponseHeaders(200, MODEL.length);
            exchange.getResponseBody().write(MODEL, 0, MODEL.length / 2);
            exchange.getResponseBody().flush();
            asked.release();
            allowed.await();
            exchange.getResponseBody().write(MODEL, MODEL.length / 2, MODEL.length - MODEL.length / 2);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private String slow(String model) throws Exception {
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(MODEL));
        return "slow:" + folder.resolve("cache") + ":http://127.0.0.1:"
                + hub.getAddress().getPort() + "/" + model + ".onnx#sha256=" + digest;
    }

    private ModelServer explicit(String... loaded) throws Exception {
        return ModelServer.start(TestServers.options(folder.resolve("repository"))
                .control(ControlMode.EXPLICIT)
                .model("slow", slow("slow"))
                .loaded(loaded)
                .build());
    }

    private CompletableFuture<RestClient.Answer> later(RestClient client, String path, String body) {
        return CompletableFuture.supplyAsync(() -> client.post(path, body), threads);
    }

    private static CompletableFuture<Integer> status(CompletableFuture<RestClient.Answer> answer) {
        return answer.thenApply(RestClient.Answer::status);
    }

    private static String value(RestClient client, String model) {
        return client.post("v2/models/" + model + "/infer", """
            {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [1]}]}\
            """).body();
    }

    private static String index(RestClient client) {
        return client.post("v2/repository/index", "").body();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 2000 && !condition.getAsBoolean(); i++) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void aSlowSourceKeepsNoOtherModelWaiting() throws Exception {
        new TestRepository(folder.resolve("repository")).version("local", 1, ServerModels.plus(1, 1));
        try (var server = explicit();
                var client = new RestClient(server)) {
            var load = later(client, "v2/repository/models/slow/load", "");
            asked.acquire();
            assertThat(client.post("v2/repository/models/local/load", "").status())
                    .isEqualTo(200);
            assertThat(value(client, "local")).contains("\"data\":[2.0]");
            await(() -> index(client)
                    .contains("{\"name\":\"slow\",\"version\":\"1\",\"state\":\"LOADING\",\"reason\":\"fetching"
                            + " slow.onnx: "));
            assertThat(value(client, "slow")).contains("model 'slow' is not ready: fetching slow:");
            assertThat(client.get("v2/health/ready").status()).isEqualTo(200);
            assertThat(load).isNotDone();
            allowed.countDown();
            assertThat(load.get().status()).isEqualTo(200);
            assertThat(value(client, "slow")).contains("\"data\":[4.0]");
            assertThat(index(client)).doesNotContain("LOADING", "fetching");
        }
    }

    @Test
    void loadsOfOneModelMeet() throws Exception {
        new TestRepository(folder.resolve("repository")).version("local", 1, ServerModels.plus(1, 1));
        try (var server = explicit();
                var client = new RestClient(server)) {
            var first = later(client, "v2/repository/models/slow/load", "");
            asked.acquire();
            var second = later(client, "v2/repository/models/slow/load", "");
            // the second one is under way before the file arrives
            TimeUnit.MILLISECONDS.sleep(100);
            assertThat(second).isNotDone();
            allowed.countDown();
            assertThat(first.get().status()).isEqualTo(200);
            assertThat(second.get().status()).isEqualTo(200);
            assertThat(value(client, "slow")).contains("\"data\":[4.0]");
            assertThat(FETCHES).hasValue(1);
        }
    }

    @Test
    void anUnloadEndsAFetch() throws Exception {
        new TestRepository(folder.resolve("repository")).version("local", 1, ServerModels.plus(1, 1));
        try (var server = explicit();
                var client = new RestClient(server)) {
            var load = later(client, "v2/repository/models/slow/load", "");
            asked.acquire();
            assertThat(client.post("v2/repository/models/slow/unload", "").status())
                    .isEqualTo(200);
            assertThat(load.get().status()).isEqualTo(503);
            assertThat(load.get().body()).contains("the load of model 'slow' was ended: it is unloaded");
            await(() -> CANCELLED.get() == 1);
            assertThat(index(client)).contains("\"state\":\"UNAVAILABLE\",\"reason\":\"unloaded\"");
        }
    }

    @Test
    void aLoadWithAnotherConfigurationEndsAFetch() throws Exception {
        new TestRepository(folder.resolve("repository")).version("local", 1, ServerModels.plus(1, 1));
        try (var server = explicit();
                var client = new RestClient(server)) {
            var former = later(client, "v2/repository/models/slow/load", "");
            asked.acquire();
            var newer = later(
                    client,
                    "v2/repository/models/slow/load",
                    "{\"parameters\": {\"config\": \"{\\\"max_batch_size\\\": 4}\"}}");
            assertThat(former.get().status()).isEqualTo(503);
            assertThat(former.get().body()).contains("it is loaded anew");
            allowed.countDown();
            assertThat(status(newer)).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(200);
            assertThat(client.get("v2/models/slow/config").body()).contains("\"max_batch_size\":4");
        }
    }

    @Test
    void filesThatARequestBringsEndAFetch() throws Exception {
        new TestRepository(folder.resolve("repository")).version("local", 1, ServerModels.plus(1, 1));
        try (var server = explicit();
                var client = new RestClient(server)) {
            var former = later(client, "v2/repository/models/slow/load", "");
            asked.acquire();
            String file = Base64.getEncoder().encodeToString(ServerModels.plus(5, 1));
            assertThat(client.post(
                                    "v2/repository/models/slow/load",
                                    "{\"parameters\": {\"config\": \"{}\", \"file:1/model.onnx\": \"" + file + "\"}}")
                            .status())
                    .isEqualTo(200);
            assertThat(former.get().body()).contains("a request brings its files");
            allowed.countDown();
            await(() -> CANCELLED.get() == 1);
            assertThat(value(client, "slow")).contains("\"data\":[6.0]");
        }
    }

    @Test
    void anEnsembleWaitsForItsStepsAndIsNoneOfThem() throws Exception {
        String ensemble = """
            platform: "ensemble" max_batch_size: 4
            input { name: "x" data_type: TYPE_FP32 dims: [1] }
            output { name: "y" data_type: TYPE_FP32 dims: [1] }
            ensemble_scheduling { step { model_name: "%s" model_version: -1
              input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } }
            """;
        new TestRepository(folder.resolve("repository"))
                .config("both", ensemble.formatted("slow"))
                .config("here", ensemble.formatted("there"))
                .config("there", ensemble.formatted("here"));
        try (var server = explicit();
                var client = new RestClient(server)) {
            assertThat(client.post("v2/repository/models/here/load", "").body())
                    .contains("ensemble 'here' is a step of itself");
            var load = later(client, "v2/repository/models/both/load", "");
            asked.acquire();
            assertThat(index(client)).contains("\"reason\":\"the models of its steps are fetched\"");
            allowed.countDown();
            assertThat(load.get().status()).as(load.get().body()).isEqualTo(200);
            assertThat(value(client, "both")).contains("\"data\":[4.0]");
        }
    }

    @Test
    void pollingGoesOnWhileASourceIsSlow() throws Exception {
        var repository = new TestRepository(folder.resolve("repository")).version("local", 1, ServerModels.plus(1, 1));
        var options = TestServers.options(folder.resolve("repository"))
                .control(ControlMode.POLL)
                .pollInterval(Duration.ofMillis(20));
        try (var server = ModelServer.start(options.build());
                var client = new RestClient(server)) {
            repository.config(
                    "named", "parameters { key: \"source\" value { string_value: \"" + slow("named") + "\" } }");
            asked.acquire();
            repository.version("later", 1, ServerModels.plus(7, 1));
            await(() -> value(client, "later").contains("\"data\":[8.0]"));
            assertThat(answers).hasValue(1);
            allowed.countDown();
            await(() -> value(client, "named").contains("\"data\":[4.0]"));
        }
    }
}
