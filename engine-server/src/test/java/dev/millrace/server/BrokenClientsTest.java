package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what clients that break the protocol write to the log of a server. */
class BrokenClientsTest {
    private static final String ROW = TestRequests.row("x", 1);
    private static final int CLIENTS = 20;

    @TempDir
    Path folder;

    /** The lines of all loggers, each behind its level. */
    private static final class Lines extends Handler implements AutoCloseable {
        /** Kept here, because the JDK forgets a logger that nobody holds. */
        private final Logger root = Logger.getLogger("");

        private final Queue<String> all = new ConcurrentLinkedQueue<>();

        Lines() {
            root.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            String text = Objects.requireNonNullElse(line.getMessage(), "");
            Object[] values = line.getParameters();
            all.add(line.getLevel() + " "
                    + (values == null || values.length == 0 ? text : MessageFormat.format(text, values)) + " "
                    + Objects.requireNonNullElse(line.getThrown(), ""));
        }

        List<String> of(String start) {
            return all.stream().filter(each -> each.startsWith(start)).toList();
        }

        /** Waits until a line is there so often. */
        void await(String start, String part, int times) throws InterruptedException {
            for (int i = 0; i < 1000 && count(start, part) < times; i++) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(count(start, part)).as(part + " in " + all).isGreaterThanOrEqualTo(times);
        }

        private long count(String start, String part) {
            return of(start).stream().filter(each -> each.contains(part)).count();
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            root.removeHandler(this);
        }
    }

    private static Socket sent(ModelServer server, String text) throws IOException {
        var socket = new Socket("127.0.0.1", server.httpPort());
        socket.setSoTimeout(10_000);
        socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        return socket;
    }

    @Test
    void aFloodOfFaultsIsOneLineAndTheAccessLogHasItsOwn() throws Exception {
        new TestRepository(folder).version("plus", 1, ServerModels.plus(1, 1));
        try (var lines = new Lines();
                var server = ModelServer.start(
                        TestServers.options(folder).accessLog(true).build());
                var client = new RestClient(server)) {
            // a connection of HTTP/2 whose first frame is none
            for (int i = 0; i < CLIENTS; i++) {
                try (Socket nonsense = sent(server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "nonsense".repeat(5))) {
                    nonsense.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // reset by the server, which is as good
                }
            }
            String half = "POST /v2/models/plus/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{\"inp";
            var cut = new ArrayList<Socket>();
            for (int i = 0; i < CLIENTS; i++) {
                cut.add(sent(server, half));
            }
            client.awaitActive(CLIENTS);
            for (Socket each : cut) {
                // closing resets the connection
                each.setSoLinger(true, 0);
                each.close();
            }
            client.awaitActive(0);
            assertThat(client.post("v2/models/plus/infer", ROW).status()).isEqualTo(200);
            lines.await("INFO", "POST /v2/models/plus/infer 499", CLIENTS);
            lines.await("INFO", "POST /v2/models/plus/infer 200", 1);
            lines.await("WARNING", "1 connection broke off by a fault in the protocol", 1);
            assertThat(lines.of(Level.WARNING.getName()))
                    .filteredOn(each -> each.contains("broke off") || each.contains("exceptionCaught"))
                    .hasSize(1);
            assertThat(lines.of(Level.SEVERE.getName())).noneMatch(each -> each.contains("a request failed"));
        }
    }

    /** Nothing is left for Reactor Netty, which would write a line about each. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionsThatEndWithinHeadersAreCounted(boolean tls) throws Exception {
        Files.createDirectory(folder.resolve("models"));
        var options = TestServers.options(folder.resolve("models"));
        SocketFactory sockets = SocketFactory.getDefault();
        if (tls) {
            var certificate = TestCertificate.make(folder);
            options.tls(certificate.chain(), certificate.key());
            sockets = certificate.clients().getSocketFactory();
        }
        var heard = Logger.getLogger("dev.millrace.server.rest.BrokenConnections");
        heard.setLevel(Level.FINE);
        try (var lines = new Lines();
                var server = ModelServer.start(options.build())) {
            for (int i = 0; i < CLIENTS; i++) {
                try (Socket half = sockets.createSocket("127.0.0.1", server.httpPort())) {
                    half.setSoTimeout(10_000);
                    half.getOutputStream()
                            .write("POST /v2/models/plus/infer HTTP/1.1\r\nHost: a\r\nContent-"
                                    .getBytes(StandardCharsets.US_ASCII));
                    half.shutdownOutput();
                    // closing with unread bytes would reset the connection
                    half.getInputStream().readAllBytes();
                }
            }
            lines.await("FINE", "PrematureChannelClosureException", CLIENTS);
            assertThat(lines.of(Level.WARNING.getName())).hasSize(1);
        } finally {
            heard.setLevel(null);
        }
    }

    /** Clients that know no TLS, and those that go away within its handshake. */
    @Test
    void connectionsThatEndWithinAHandshakeAreCounted() throws Exception {
        Files.createDirectory(folder.resolve("models"));
        var certificate = TestCertificate.make(folder);
        var heard = Logger.getLogger("dev.millrace.server.rest.BrokenConnections");
        heard.setLevel(Level.FINE);
        try (var lines = new Lines();
                var server = ModelServer.start(TestServers.options(folder.resolve("models"))
                        .tls(certificate.chain(), certificate.key())
                        .build())) {
            String begun = "\u0016\u0003\u0001\u0002\u0000\u0001";
            for (String start : List.of("", begun, "GET / HTTP/1.1\r\n\r\n")) {
                for (int i = 0; i < CLIENTS; i++) {
                    sent(server, start).close();
                }
            }
            lines.await("FINE", "a connection broke", 3 * CLIENTS);
            assertThat(lines.of(Level.WARNING.getName()))
                    .singleElement()
                    .asString()
                    .contains("1 connection broke off");
        } finally {
            heard.setLevel(null);
        }
    }
}
