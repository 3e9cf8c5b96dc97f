package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.ServerReadyRequest;
import dev.millrace.server.protocol.ServerReadyResponse;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests limits, tokens, metrics, options, and the end of a server. */
class OperationTest {
    private static final String ROW = TestRequests.row("x", 1);

    @TempDir
    Path folder;

    @BeforeEach
    void write() {
        new TestRepository(folder.resolve("models"))
                .version("plus", 1, ServerModels.plus(1, 1))
                .version("loop", 1, ServerModels.loop());
    }

    private ServerOptions.Builder options() {
        return TestServers.options(folder.resolve("models"));
    }

    private static CompletableFuture<Integer> later(RestClient client, String body) {
        return client.later("v2/models/loop/infer", body).thenApply(HttpResponse::statusCode);
    }

    @Test
    void aPortThatIsTakenIsNamed() {
        try (var server = ModelServer.start(options().build())) {
            int http = server.httpPort();
            assertThatThrownBy(() -> ModelServer.start(options().httpPort(http).build()))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("HTTP cannot listen at 127.0.0.1:" + http)
                    .hasMessageContaining("in use; choose another port");
            int grpc = server.grpcPort();
            assertThatThrownBy(() -> ModelServer.start(options().grpcPort(grpc).build()))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("gRPC cannot listen at 127.0.0.1:" + grpc)
                    .hasMessageContaining("in use; choose another port");
        }
    }

    @Test
    void aBodyThatIsTooLargeIsRefusedWhileItArrives() {
        try (var server = ModelServer.start(options().maxBodyBytes(1000).build());
                var client = new RestClient(server)) {
            assertThat(client.post("v2/models/plus/infer", " ".repeat(1001)).status())
                    .isEqualTo(413);
            var chunked = HttpRequest.newBuilder(client.uri("v2/models/plus/infer"))
                    .POST(BodyPublishers.ofByteArrays(List.of(new byte[600], new byte[600])))
                    .build();
            assertThat(client.send(chunked).status()).isEqualTo(413);
            assertThat(client.post("v2/models/plus/infer", ROW).status()).isEqualTo(200);
        }
    }

    @Test
    void aPackedBodyIsUnpackedWithinTheLimit() throws Exception {
        try (var server = ModelServer.start(options().maxBodyBytes(1000).build());
                var client = new RestClient(server)) {
            byte[] row = ROW.getBytes(StandardCharsets.UTF_8);
            assertThat(packed(client, gzip(row), "gzip")).isEqualTo(200);
            var deflated = new ByteArrayOutputStream();
            try (var out = new DeflaterOutputStream(deflated)) {
                out.write(row);
            }
            assertThat(packed(client, deflated.toByteArray(), "deflate")).isEqualTo(200);
            assertThat(packed(client, row, "identity")).isEqualTo(200);
            byte[] bomb = gzip(new byte[500_000]);
            assertThat(bomb).hasSizeLessThan(1000);
            assertThat(packed(client, bomb, "gzip")).isEqualTo(413);
            assertThat(packed(client, Arrays.copyOf(gzip(row), 20), "gzip")).isEqualTo(400);
            assertThat(packed(client, row, "gzip")).isEqualTo(400);
            assertThat(packed(client, row, "br")).isEqualTo(415);
        }
    }

    private static int packed(RestClient client, byte[] body, String encoding) {
        return client.post("v2/models/plus/infer", body, Map.of("Content-Encoding", encoding))
                .status();
    }

    private static byte[] gzip(byte[] content) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new GZIPOutputStream(bytes)) {
            out.write(content);
        }
        return bytes.toByteArray();
    }

    @Test
    void requestsBeyondTheLimitAreRefusedAndHealthIsStillTold() throws Exception {
        try (var server = ModelServer.start(options().maxRequests(1).build());
                var client = new RestClient(server)) {
            var running = later(client, TestRequests.loops(Long.MAX_VALUE, 3_000_000));
            client.awaitActive(1);
            RestClient.Answer refused = client.post("v2/models/plus/infer", ROW);
            assertThat(refused.status()).isEqualTo(429);
            assertThat(refused.headers().firstValue("Retry-After")).contains("1");
            assertThat(client.get("v2/health/ready").status()).isEqualTo(200);
            assertThat(running.get(20, TimeUnit.SECONDS)).isEqualTo(504);
            assertThat(client.post("v2/models/plus/infer", ROW).status()).isEqualTo(200);
        }
    }

    @Test
    void requestsNeedTheToken() {
        try (var server = ModelServer.start(options().token("secret").build());
                var client = new RestClient(server);
                var grpc = new GrpcClient(server)) {
            assertThat(client.get("v2/health/live").status()).isEqualTo(200);
            RestClient.Answer refused = client.get("v2");
            assertThat(refused.status()).isEqualTo(401);
            assertThat(refused.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            assertThat(client.get("metrics").status()).isEqualTo(401);
            assertThat(client.get("v2/models/health/ready").status()).isEqualTo(401);
            byte[] row = ROW.getBytes(StandardCharsets.UTF_8);
            assertThat(client.post("v2/models/plus/infer", row, Map.of("Authorization", "Bearer other"))
                            .status())
                    .isEqualTo(401);
            assertThat(client.post("v2/models/plus/infer", row, Map.of("Authorization", "Bearer secret"))
                            .status())
                    .isEqualTo(200);
            var ask = ServerReadyRequest.getDefaultInstance();
            var told = ServerReadyResponse.getDefaultInstance();
            assertThat(grpc.call("ServerReady", ask, told, 10_000, "secret").getReady())
                    .isTrue();
            assertThatThrownBy(() -> grpc.call("ServerReady", ask, told, 10_000, "other"))
                    .isInstanceOfSatisfying(
                            StatusRuntimeException.class,
                            e -> assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.UNAUTHENTICATED));
        }
    }

    @Test
    void metricsHaveBothKindsOfNames() {
        try (var server = ModelServer.start(options().build());
                var client = new RestClient(server)) {
            client.post("v2/models/plus/infer", ROW);
            client.post("v2/models/plus/infer", "{\"inputs\": []}");
            String own = client.get("metrics").body();
            assertThat(own)
                    .contains("nv_inference_request_success{model=\"plus\",version=\"1\"} 1\n")
                    .contains("nv_inference_request_failure{model=\"plus\",version=\"1\",reason=\"OTHER\"} 1\n")
                    .contains("nv_inference_exec_count{model=\"plus\",version=\"1\"} 1\n")
                    .contains("nv_inference_pending_request_count{model=\"loop\",version=\"1\"} 0\n")
                    .contains("millrace_requests_seconds_count{", "session=\"plus\"", "millrace_memory_weights_bytes");
            var there = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.metricsPort() + "/metrics"))
                    .build();
            assertThat(client.send(there).body()).contains("nv_inference_count");
        }
    }

    /** The names of the reasons are Triton's, and each of them is always there. */
    @Test
    void failuresAreCountedByTheirReasons() throws Exception {
        new TestRepository(folder.resolve("models")).version("pick", 1, ServerModels.words(0));
        try (var server = ModelServer.start(options().build());
                var client = new RestClient(server)) {
            assertThat(reasons(client, "pick")).containsExactly(0, 0, 0, 0);
            // the run finds that there is no word 7
            String pick = "{\"inputs\": [{\"name\": \"input_ids\", \"datatype\": \"INT64\", \"shape\": [1, 1],"
                    + " \"data\": [7]}]}";
            assertThat(client.post("v2/models/pick/infer", pick).status()).isBetween(400, 500);
            assertThat(client.post("v2/models/pick/infer", "{\"inputs\": []}").status())
                    .isEqualTo(400);
            assertThat(reasons(client, "pick")).containsExactly(0, 0, 1, 1);

            assertThat(later(client, TestRequests.loops(Long.MAX_VALUE, 1000)).get(20, TimeUnit.SECONDS))
                    .isEqualTo(504);
            assertThat(reasons(client, "loop")).containsExactly(1, 0, 0, 0);
            var running = client.later("v2/models/loop/infer", TestRequests.loops(Long.MAX_VALUE, 600_000_000));
            client.awaitActive(1);
            running.cancel(true);
            client.awaitActive(0);
            assertThat(reasons(client, "loop")).containsExactly(1, 1, 0, 0);
        }
    }

    /** Returns the failures of a model that are counted as rejected, cancelled, of the run, and others. */
    private static List<Integer> reasons(RestClient client, String model) {
        String metrics = client.get("metrics").body();
        return Stream.of("REJECTED", "CANCELED", "BACKEND", "OTHER")
                .map(reason -> {
                    String line = "nv_inference_request_failure{model=\"" + model + "\",version=\"1\",reason=\""
                            + reason + "\"} ";
                    int start = metrics.indexOf(line) + line.length();
                    return Integer.parseInt(metrics.substring(start, metrics.indexOf('\n', start)));
                })
                .toList();
    }

    @Test
    void closingAnswersWhatIsUnderWay() throws Exception {
        var server = ModelServer.start(options().drain(Duration.ofSeconds(20)).build());
        try (var client = new RestClient(server)) {
            var running = later(client, TestRequests.loops(Long.MAX_VALUE, 1_500_000));
            client.awaitActive(1);
            server.close();
            assertThat(running.get(20, TimeUnit.SECONDS)).isEqualTo(504);
            assertThat(server.isReady()).isFalse();
        }
        server.close();
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> ServerOptions.builder().build()).hasMessageContaining("needs a folder");
        assertThatThrownBy(() -> options().maxRequests(0).build()).hasMessageContaining("at least 1");
        assertThatThrownBy(() -> options().grpcPort(-1).build()).hasMessageContaining("from 0 to 65535");
        assertThatThrownBy(() -> options().clientCertificates(folder).build()).hasMessageContaining("certificate");
        assertThatThrownBy(() -> options().pollInterval(Duration.ZERO).build()).hasMessageContaining("pollInterval");
        try (var server = ModelServer.start(options().build())) {
            assertThatThrownBy(() -> ModelServer.start(
                            options().httpPort(server.httpPort()).build()))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("cannot listen");
        }
        assertThatThrownBy(() -> ModelServer.start(
                        TestServers.options(folder.resolve("gone")).build()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("cannot be read");
    }
}
