package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelStreamInferResponse;
import dev.millrace.server.protocol.ServerReadyRequest;
import dev.millrace.server.protocol.ServerReadyResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests limits, tokens, TLS, metrics, the end of a server, and clients that misbehave. */
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

    /** Waits until the server handles a request. */
    private static void awaitActive(RestClient client) {
        for (int i = 0; i < 10_000; i++) {
            if (client.get("metrics").body().contains("millrace_http_active 1.0")) {
                return;
            }
        }
        throw new AssertionError("no request is being handled");
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
            awaitActive(client);
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
                    .contains("nv_inference_request_failure{model=\"plus\",version=\"1\"} 1\n")
                    .contains("nv_inference_exec_count{model=\"plus\",version=\"1\"} 1\n")
                    .contains("nv_inference_pending_request_count{model=\"loop\",version=\"1\"} 0\n")
                    .contains("millrace_requests_seconds_count{", "session=\"plus\"", "millrace_memory_weights_bytes");
            var there = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.metricsPort() + "/metrics"))
                    .build();
            assertThat(client.send(there).body()).contains("nv_inference_count");
        }
    }

    @Test
    void closingAnswersWhatIsUnderWay() throws Exception {
        var server = ModelServer.start(options().drain(Duration.ofSeconds(20)).build());
        try (var client = new RestClient(server)) {
            var running = later(client, TestRequests.loops(Long.MAX_VALUE, 1_500_000));
            awaitActive(client);
            server.close();
            assertThat(running.get(20, TimeUnit.SECONDS)).isEqualTo(504);
            assertThat(server.isReady()).isFalse();
        }
        server.close();
    }

    @Test
    void clientsThatMisbehaveHarmNoOther() throws Exception {
        try (var server = ModelServer.start(options().build());
                var client = new RestClient(server)) {
            var idle = new ArrayList<Socket>();
            for (int i = 0; i < 300; i++) {
                idle.add(connect(server));
            }
            String head = "POST /v2/models/plus/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{\"inp";
            for (int i = 0; i < 50; i++) {
                Socket cut = connect(server);
                cut.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                if (i % 2 == 0) {
                    cut.shutdownOutput();
                }
                cut.close();
            }
            Socket bomb = connect(server);
            bomb.getOutputStream()
                    .write(("GET /v2 HTTP/1.1\r\nA: " + "a".repeat(20_000) + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            assertThat(firstLine(bomb)).matches("HTTP/1.1 4(13|31|00) .*");
            Socket nonsense = connect(server);
            nonsense.getOutputStream().write("nonsense\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(firstLine(nonsense)).startsWith("HTTP/1.1 400");
            assertThat(client.get("v2/models/%00/config").status()).isEqualTo(404);
            Socket escape = connect(server);
            escape.getOutputStream()
                    .write("GET /v2/models/%zz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(firstLine(escape)).startsWith("HTTP/1.1 404");
            escape.close();
            assertThat(client.post("v2/models/plus/infer", ROW).status()).isEqualTo(200);
            for (Socket each : idle) {
                each.close();
            }
            bomb.close();
            nonsense.close();
        }
    }

    private static Socket connect(ModelServer server) throws IOException {
        var socket = new Socket();
        socket.connect(new InetSocketAddress("127.0.0.1", server.httpPort()));
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static String firstLine(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        var line = new StringBuilder();
        for (int next = in.read(); next >= 0 && next != '\r'; next = in.read()) {
            line.append((char) next);
        }
        return line.toString();
    }

    @Test
    void aClientThatGoesAwayStopsItsRun() throws Exception {
        try (var server = ModelServer.start(options().build());
                var client = new RestClient(server)) {
            Socket away = connect(server);
            String body = TestRequests.loops(Long.MAX_VALUE, 600_000_000);
            away.getOutputStream()
                    .write(("POST /v2/models/loop/infer HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length()
                                    + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            awaitActive(client);
            away.close();
            boolean stopped = false;
            for (int i = 0; i < 200 && !stopped; i++) {
                stopped = client.get("v2/models/loop/stats").body().contains("\"fail\":{\"count\":1,");
                TimeUnit.MILLISECONDS.sleep(25);
            }
            assertThat(stopped).isTrue();
        }
    }

    @Test
    void aCallThatIsCancelledCountsTowardsTheLimitNoMore() throws Exception {
        try (var server = ModelServer.start(options().maxRequests(1).build());
                var grpc = new GrpcClient(server)) {
            // on a new connection, calls may overtake each other
            assertThat(becomes(grpc, Status.Code.OK)).isTrue();
            var open = Context.current().withCancellation();
            open.run(() -> grpc.exchange(
                    "ModelStreamInfer",
                    ModelInferRequest.getDefaultInstance(),
                    ModelStreamInferResponse.getDefaultInstance(),
                    new Unheard<>()));
            assertThat(becomes(grpc, Status.Code.RESOURCE_EXHAUSTED)).isTrue();
            open.cancel(null);
            assertThat(becomes(grpc, Status.Code.OK)).isTrue();
        }
    }

    /** Asks for readiness until the status of the call is this one. */
    private static boolean becomes(GrpcClient grpc, Status.Code status) throws InterruptedException {
        for (int i = 0; i < 500; i++) {
            Status.Code now = Status.Code.OK;
            try {
                grpc.call(
                        "ServerReady",
                        ServerReadyRequest.getDefaultInstance(),
                        ServerReadyResponse.getDefaultInstance());
            } catch (StatusRuntimeException e) {
                now = e.getStatus().getCode();
            }
            if (now == status) {
                return true;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return false;
    }

    /** An observer that nobody asks. */
    private static final class Unheard<T> implements StreamObserver<T> {
        @Override
        public void onNext(T message) {}

        @Override
        public void onError(Throwable failure) {}

        @Override
        public void onCompleted() {}
    }

    @Test
    void tlsWithACertificate() throws Exception {
        Path store = folder.resolve("store.p12");
        var made = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "a",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertThat(made.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, "changeit".toCharArray());
        }
        Path chain = pem("CERTIFICATE", keys.getCertificate("a").getEncoded());
        Path key = pem("PRIVATE KEY", keys.getKey("a", "changeit".toCharArray()).getEncoded());
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trusted.getTrustManagers(), null);
        try (var server = ModelServer.start(options().tls(chain, key).build());
                var client = HttpClient.newBuilder().sslContext(context).build()) {
            var request =
                    HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.httpPort() + "/v2/health/live"));
            assertThat(client.send(request.build(), BodyHandlers.ofString()).body())
                    .contains("true");
        }
        assertThatThrownBy(() -> ModelServer.start(options().tls(key, key).build()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("TLS");
    }

    private Path pem(String name, byte[] content) throws IOException {
        String text = "-----BEGIN " + name + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + name + "-----\n";
        return Files.writeString(folder.resolve(name.replace(' ', '-') + ".pem"), text);
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
