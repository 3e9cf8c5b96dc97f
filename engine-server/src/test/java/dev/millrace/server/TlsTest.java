package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
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
            for (HttpClient.Version version : HttpClient.Version.values()) {
                var answer = client.send(request.version(version).build(), BodyHandlers.ofString());
                assertThat(answer.body()).contains("true");
                assertThat(answer.version()).isEqualTo(version);
            }
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
}
