package dev.millrace.opentelemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.millrace.server.ModelServer;
import dev.millrace.server.ServerOptions;
import dev.millrace.server.ServerTelemetry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.ServiceLoader;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a collector of OpenTelemetry receives. */
class OtlpTelemetryTest {
    private static final String ENDPOINT = "otel.exporter.otlp.endpoint";
    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

    @Test
    void aRequestArrivesAtTheCollectorInItsCallersTrace(@TempDir Path models) throws Exception {
        var received = new LinkedBlockingQueue<byte[]>();
        var collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        System.setProperty(
                ENDPOINT, "http://127.0.0.1:" + collector.getAddress().getPort());
        try (ServerTelemetry telemetry =
                        ServiceLoader.load(ServerTelemetry.class).findFirst().orElseThrow();
                ModelServer server = ModelServer.start(ServerOptions.builder()
                        .repositories(models)
                        .httpPort(0)
                        .grpcPort(0)
                        .metricsPort(0)
                        .observations(telemetry.registry())
                        .build());
                HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.httpPort() + "/v2"))
                    .header("traceparent", "00-" + TRACE + "-b7ad6b7169203331-01")
                    .build();
            assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
                    .isEqualTo(200);
        } finally {
            System.clearProperty(ENDPOINT);
            collector.stop(0);
        }
        byte[] sent = received.take();
        assertThat(new String(sent, StandardCharsets.ISO_8859_1)).contains("millrace", "GET /v2", "http.route");
        assertThat(HexFormat.of().formatHex(sent)).contains(TRACE);
    }
}
