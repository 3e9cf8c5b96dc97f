package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate for loopback that a test makes.
 *
 * @param chain its file
 * @param key the file of its private key
 * @param clients the settings of clients that trust it
 */
record TestCertificate(Path chain, Path key, SSLContext clients) {
    private static final String PASSWORD = "changeit";

    static TestCertificate make(Path folder) throws Exception {
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
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("keytool.log").toFile())
                .start();
        assertThat(made.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        var trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext clients = SSLContext.getInstance("TLS");
        clients.init(null, trusted.getTrustManagers(), null);
        return new TestCertificate(
                pem(folder, "CERTIFICATE", keys.getCertificate("a").getEncoded()),
                pem(
                        folder,
                        "PRIVATE KEY",
                        keys.getKey("a", PASSWORD.toCharArray()).getEncoded()),
                clients);
    }

    private static Path pem(Path folder, String name, byte[] content) throws IOException {
        String text = "-----BEGIN " + name + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + name + "-----\n";
        return Files.writeString(folder.resolve(name.replace(' ', '-') + ".pem"), text);
    }
}
