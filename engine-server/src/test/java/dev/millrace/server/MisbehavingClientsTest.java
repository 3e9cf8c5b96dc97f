package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.server.protocol.ModelInferRequest;
import dev.millrace.server.protocol.ModelInferResponse;
import dev.millrace.server.protocol.ServerMetadataRequest;
import dev.millrace.server.protocol.ServerMetadataResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that clients which break off, send nonsense or fall silent harm no other client. */
class MisbehavingClientsTest {
    private static final String ROW = TestRequests.row("x", 1);

    @TempDir
    Path folder;

    @BeforeEach
    void write() {
        new TestRepository(folder).version("plus", 1, ServerModels.plus(1, 1)).version("loop", 1, ServerModels.loop());
    }

    @Test
    void clientsThatMisbehaveHarmNoOther() throws Exception {
        try (var server = TestServers.start(folder);
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
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            Socket away = connect(server);
            String body = TestRequests.loops(Long.MAX_VALUE, 600_000_000);
            away.getOutputStream()
                    .write(("POST /v2/models/loop/infer HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length()
                                    + "\r\n\r\n" + body)
                            .getBytes(StandardCharsets.US_ASCII));
            client.awaitActive(1);
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
        try (var server = ModelServer.start(
                        TestServers.options(folder).maxRequests(1).build());
                var grpc = new GrpcClient(server)) {
            // on a new connection, calls may overtake each other
            assertThat(becomes(grpc, Status.Code.OK)).isTrue();
            var open = Context.current().withCancellation();
            open.run(() -> {
                var requests = grpc.exchange(
                        "ModelInfer",
                        ModelInferRequest.getDefaultInstance(),
                        ModelInferResponse.getDefaultInstance(),
                        new Unheard<>());
                requests.onNext(TestRequests.loop(Long.MAX_VALUE, TimeUnit.HOURS.toMicros(1)));
                requests.onCompleted();
            });
            assertThat(becomes(grpc, Status.Code.RESOURCE_EXHAUSTED)).isTrue();
            open.cancel(null);
            assertThat(becomes(grpc, Status.Code.OK)).isTrue();
        }
    }

    /** Asks for metadata until the status of the call is this one. */
    private static boolean becomes(GrpcClient grpc, Status.Code status) throws InterruptedException {
        for (int i = 0; i < 500; i++) {
            Status.Code now = Status.Code.OK;
            try {
                grpc.call(
                        "ServerMetadata",
                        ServerMetadataRequest.getDefaultInstance(),
                        ServerMetadataResponse.getDefaultInstance());
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
}
