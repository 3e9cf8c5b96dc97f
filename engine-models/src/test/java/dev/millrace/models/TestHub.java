package dev.millrace.models;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A hub on loopback with one repository, {@code org/net}, whose branch {@code main} is at one commit. Large files lie on a
 * second server, to which the hub redirects. The next answers can be made to fail.
 */
final class TestHub implements AutoCloseable {
    static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";
    static final String LATER_COMMIT = "89abcdef0123456789abcdef0123456789abcdef";
    private static final int LARGE = 200;

    /** A request that arrived. */
    record Seen(String server, String method, String path, String token, String range) {}

    /** An answer in the place of the right one; with a status of 0, the content is cut after {@code bytes}. */
    record Trouble(int status, int bytes, Map<String, String> headers) {
        /** No answer at all. */
        static final Trouble SILENCE = status(-1);

        static Trouble status(int status, String... headers) {
            return new Trouble(status, 0, headers.length == 0 ? Map.of() : Map.of(headers[0], headers[1]));
        }

        static Trouble cutAfter(int bytes) {
            return new Trouble(0, bytes, Map.of());
        }
    }

    final List<Seen> seen = new CopyOnWriteArrayList<>();
    final Queue<Trouble> hubTroubles = new ConcurrentLinkedQueue<>();
    final Queue<Trouble> storeTroubles = new ConcurrentLinkedQueue<>();
    final Map<String, String> wrongHeaders = new ConcurrentHashMap<>();
    private final Map<String, byte[]> files = new ConcurrentHashMap<>();
    private final HttpServer hub = server();
    private final HttpServer store = server();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch end = new CountDownLatch(1);
    volatile String head = COMMIT;

    TestHub() throws IOException {
        hub.createContext("/", each -> answer(each, true));
        store.createContext("/", each -> answer(each, false));
        for (HttpServer each : List.of(hub, store)) {
            each.setExecutor(threads);
            each.start();
        }
    }

    private static HttpServer server() throws IOException {
        return HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    }

    String endpoint() {
        return "http://127.0.0.1:" + hub.getAddress().getPort();
    }

    String storeAddress() {
        return "http://127.0.0.1:" + store.getAddress().getPort();
    }

    TestHub with(String path, byte[] content) {
        files.put(path, content);
        return this;
    }

    TestHub with(String path, String content) {
        return with(path, content.getBytes(StandardCharsets.UTF_8));
    }

    List<Seen> takeSeen() {
        List<Seen> all = List.copyOf(seen);
        seen.clear();
        return all;
    }

    private void answer(HttpExchange exchange, boolean isHub) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            seen.add(new Seen(
                    isHub ? "hub" : "store",
                    exchange.getRequestMethod(),
                    path,
                    String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")),
                    String.valueOf(exchange.getRequestHeaders().getFirst("Range"))));
            Trouble trouble = (isHub ? hubTroubles : storeTroubles).poll();
            if (trouble == Trouble.SILENCE) {
                end.await();
                return;
            }
            if (trouble != null && trouble.status != 0) {
                trouble.headers.forEach(exchange.getResponseHeaders()::set);
                exchange.sendResponseHeaders(trouble.status, -1);
                return;
            }
            int cut = trouble == null ? Integer.MAX_VALUE : trouble.bytes;
            if (isHub) {
                hubAnswer(exchange, path, cut);
            } else {
                send(exchange, files.getOrDefault(path.substring(1), new byte[0]), cut);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void hubAnswer(HttpExchange exchange, String path, int cut) throws IOException {
        String[] parts = path.split("/resolve/", 2);
        int slash = parts.length < 2 ? -1 : parts[1].indexOf('/');
        if (parts[0].equals("/org/old")) {
            exchange.getResponseHeaders().set("Location", path.replace("/org/old", "/org/net"));
            exchange.sendResponseHeaders(307, -1);
            return;
        }
        if (slash < 0 || !parts[0].equals("/org/net")) {
            exchange.getResponseHeaders().set("X-Error-Code", "RepoNotFound");
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        String revision = parts[1].substring(0, slash);
        if (!List.of("main", head).contains(revision)) {
            exchange.getResponseHeaders().set("X-Error-Code", "RevisionNotFound");
            exchange.getResponseHeaders().set("X-Error-Message", "Invalid rev id: " + revision);
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        exchange.getResponseHeaders().set("X-Repo-Commit", head);
        byte[] content = files.get(parts[1].substring(slash + 1));
        if (content == null) {
            exchange.getResponseHeaders().set("X-Error-Code", "EntryNotFound");
            exchange.sendResponseHeaders(404, -1);
            return;
        }
        if (content.length >= LARGE) {
            exchange.getResponseHeaders().set("X-Linked-Etag", "\"" + sha256(content) + "\"");
            exchange.getResponseHeaders().set("X-Linked-Size", "" + content.length);
            exchange.getResponseHeaders()
                    .set(
                            "Location",
                            storeAddress() + "/" + parts[1].substring(slash + 1).replace(" ", "%20"));
        } else {
            exchange.getResponseHeaders().set("ETag", "W/\"" + gitBlob(content) + "\"");
        }
        wrongHeaders.forEach(exchange.getResponseHeaders()::set);
        if (content.length >= LARGE) {
            exchange.sendResponseHeaders(302, -1);
        } else {
            send(exchange, content, cut);
        }
    }

    private static void send(HttpExchange exchange, byte[] content, int cut) throws IOException {
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", "" + content.length);
            exchange.sendResponseHeaders(200, -1);
            return;
        }
        String range = exchange.getRequestHeaders().getFirst("Range");
        int from = range == null ? 0 : Integer.parseInt(range.replaceAll("bytes=(\\d+)-", "$1"));
        if (from > 0 && from >= content.length) {
            exchange.sendResponseHeaders(416, -1);
            return;
        }
        if (range != null) {
            exchange.getResponseHeaders()
                    .set("Content-Range", "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
        }
        exchange.sendResponseHeaders(range == null ? 200 : 206, content.length - from);
        byte[] body = Arrays.copyOfRange(content, from, Math.min(content.length, from + Math.min(cut, content.length)));
        exchange.getResponseBody().write(body);
        if (body.length == content.length - from) {
            exchange.getResponseBody().close();
        } else {
            exchange.getResponseBody().flush();
        }
    }

    static String sha256(byte[] content) {
        return digest("SHA-256", content);
    }

    static String gitBlob(byte[] content) {
        var all = new ByteArrayOutputStream();
        all.writeBytes(("blob " + content.length + "\0").getBytes(StandardCharsets.US_ASCII));
        all.writeBytes(content);
        return digest("SHA-1", all.toByteArray());
    }

    private static String digest(String algorithm, byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        end.countDown();
        hub.stop(0);
        store.stop(0);
        threads.shutdownNow();
    }
}
