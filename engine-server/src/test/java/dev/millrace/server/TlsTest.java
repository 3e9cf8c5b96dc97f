package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a server with TLS. */
class TlsTest {
    @TempDir
    Path folder;

    @BeforeEach
    void write() {
        new TestRepository(folder.resolve("models")).version("plus", 1, ServerModels.plus(1, 1));
    }

    private ServerOptions.Builder options() {
        return TestServers.options(folder.resolve("models"));
    }

    @Test
    void tlsWithACertificate() throws Exception {
        var certificate = TestCertificate.make(folder);
        try (var server = ModelServer.start(
                        options().tls(certificate.chain(), certificate.key()).build());
                var client = HttpClient.newBuilder()
                        .sslContext(certificate.clients())
                        .build()) {
            var request =
                    HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + server.httpPort() + "/v2/health/live"));
            for (HttpClient.Version version : HttpClient.Version.values()) {
                var answer = client.send(request.version(version).build(), BodyHandlers.ofString());
                assertThat(answer.body()).contains("true");
                assertThat(answer.version()).isEqualTo(version);
            }
        }
        assertThatThrownBy(() -> ModelServer.start(
                        options().tls(certificate.key(), certificate.key()).build()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("TLS");
    }
}
