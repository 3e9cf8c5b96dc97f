package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.millrace.server.protocol.ModelInferResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ten thousand connections, half of them to the port of gRPC. A quarter has sent the half of a request, and the others nothing. The test runs
 * only with {@code -Dmillrace.soak=true}.
 */
@Tag("slow")
class IdleConnectionsTest {
    private static final int CONNECTIONS = 10_000;
    private static final int ROUNDS = 3;
    private static final int REQUESTS = 200;
    /** Descriptors that have nothing to do with connections. */
    private static final int OTHER_DESCRIPTORS = 50;

    private static final long KIB_PER_CONNECTION = 10;
    private static final byte[] HALF_HTTP =
            "POST /v2/models/plus/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{\"inp"
                    .getBytes(StandardCharsets.US_ASCII);
    /** The preface of HTTP/2 and the half of a frame of settings. */
    private static final byte[] HALF_GRPC =
            "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\6\4\0".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path folder;

    private final List<SocketChannel> open = new ArrayList<>();

    private void connect(ServerProcess server) throws IOException {
        for (int i = 0; i < CONNECTIONS; i++) {
            boolean isHttp = i % 2 == 0;
            int port = isHttp ? server.httpPort() : server.grpcPort();
            SocketChannel socket = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
            open.add(socket);
            if (i / 2 % 4 == 0) {
                socket.write(ByteBuffer.wrap(isHttp ? HALF_HTTP : HALF_GRPC));
            }
        }
    }

    private void disconnect() throws IOException {
        for (SocketChannel each : open) {
            each.close();
        }
        open.clear();
    }

    private static void ask(ServerProcess server) throws Exception {
        var request = TestRequests.message("plus");
        try (var grpc = new GrpcClient(server.grpcPort())) {
            for (int i = 0; i < REQUESTS; i++) {
                assertThat(server.post("v2/models/plus/infer", TestRequests.row("x", i))
                                .body())
                        .contains("\"data\":[" + (i + 1.0f) + "]");
                assertThat(grpc.call("ModelInfer", request, ModelInferResponse.getDefaultInstance())
                                .getOutputsCount())
                        .isEqualTo(1);
            }
        }
    }

    private static void awaitDescriptors(ServerProcess server, long most) throws Exception {
        for (int i = 0; i < 1200 && server.descriptors() > most; i++) {
            TimeUnit.MILLISECONDS.sleep(100);
        }
        assertThat(server.descriptors()).isLessThanOrEqualTo(most);
    }

    @Test
    void connectionsThatAreIdleOrHalfSentTakeLittleAndHinderNobody() throws Exception {
        ServerProcess.assumeSoak();
        Assumptions.assumeTrue(
                ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                        && system.getMaxFileDescriptorCount() > CONNECTIONS + 1000,
                "a process may not have so many descriptors");
        new TestRepository(folder.resolve("models")).version("plus", 1, ServerModels.plus(1, 1));
        try (var server = ServerProcess.start(folder)) {
            ask(server);
            long descriptors = server.descriptors();
            long resident = server.resident();
            System.out.printf("at the start: %d KiB, %d descriptors%n", resident, descriptors);
            long first = 0;
            for (int round = 1; round <= ROUNDS; round++) {
                connect(server);
                ask(server);
                long most = server.resident();
                System.out.printf("round %d: %d KiB, %d descriptors", round, most, server.descriptors());
                assertThat(server.descriptors()).isLessThanOrEqualTo(descriptors + CONNECTIONS + OTHER_DESCRIPTORS);
                assertThat(most).isLessThan(resident + CONNECTIONS * KIB_PER_CONNECTION);
                disconnect();
                awaitDescriptors(server, descriptors + OTHER_DESCRIPTORS);
                ask(server);
                System.out.printf("; closed: %d KiB, %d descriptors%n", server.resident(), server.descriptors());
                first = first == 0 ? most : first;
                assertThat(most).isLessThan(first + first / 10);
            }
        } finally {
            disconnect();
        }
    }
}
