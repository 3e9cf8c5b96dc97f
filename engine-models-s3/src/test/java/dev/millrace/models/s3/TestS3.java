package dev.millrace.models.s3;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** A server on loopback that speaks S3's protocol, with the bucket in the path: lists, headers and contents of one bucket. */
final class TestS3 implements AutoCloseable {
    static final String BUCKET = "models";
    /** The objects on a page of a list. */
    private static final int PAGE = 2;

    private static final String SIGNED = "AWS4-HMAC-SHA256 Credential=([A-Z0-9]+)/\\d{8}/[a-z0-9-]+/s3/aws4_request, ?"
            + "SignedHeaders=[a-z0-9;-]*host;[a-z0-9;-]*x-amz-date[a-z0-9;-]*, ?Signature=[0-9a-f]{64}";

    /** An answer in the place of the right one; with a status of 0, the content is cut after so many bytes. */
    record Trouble(int status, String code, int bytes) {}

    final List<String> seen = new CopyOnWriteArrayList<>();
    final Queue<Trouble> troubles = new ConcurrentLinkedQueue<>();
    final SortedMap<String, byte[]> objects = new ConcurrentSkipListMap<>();
    /** Contents by key and version. */
    final Map<String, byte[]> versions = new HashMap<>();
    /** The access key that requests are signed with; empty for a bucket that everybody may read. */
    volatile String accessKey = "";

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    TestS3() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    String endpoint() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    TestS3 with(String key, String content) {
        objects.put(key, content.getBytes(StandardCharsets.UTF_8));
        return this;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
            String range = exchange.getRequestHeaders().getFirst("Range");
            seen.add(exchange.getRequestMethod() + " " + path + (range == null ? "" : " " + range));
            Trouble trouble = troubles.poll();
            String signature =
                    Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Authorization"), "");
            if (trouble != null && trouble.status != 0) {
                refuse(exchange, trouble.status, trouble.code);
            } else if (!accessKey.isEmpty() && !signature.matches(SIGNED)) {
                refuse(exchange, 403, "AccessDenied");
            } else if (!accessKey.isEmpty() && !signature.contains("Credential=" + accessKey + "/")) {
                refuse(exchange, 403, "InvalidAccessKeyId");
            } else if (!path.equals("/" + BUCKET) && !path.startsWith("/" + BUCKET + "/")) {
                refuse(exchange, 404, "NoSuchBucket");
            } else if (query.containsKey("list-type")) {
                list(exchange, query);
            } else {
                object(exchange, path.substring(BUCKET.length() + 2), query, trouble);
            }
        }
    }

    private static Map<String, String> query(String text) {
        var query = new HashMap<String, String>();
        for (String each : text == null ? new String[0] : text.split("&")) {
            String[] parts = each.split("=", 2);
            query.put(parts[0], parts.length < 2 ? "" : URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
        }
        return query;
    }

    private void list(HttpExchange exchange, Map<String, String> query) throws IOException {
        String prefix = query.getOrDefault("prefix", "");
        String after = query.getOrDefault("continuation-token", "");
        List<String> keys = objects.keySet().stream()
                .filter(each -> each.startsWith(prefix) && each.compareTo(after) > 0)
                .toList();
        boolean isCut = keys.size() > PAGE;
        var xml = new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?><ListBucketResult><Name>" + BUCKET
                + "</Name><Prefix>" + prefix + "</Prefix><IsTruncated>" + isCut + "</IsTruncated>");
        for (String each : keys.subList(0, Math.min(PAGE, keys.size()))) {
            byte[] content = Objects.requireNonNull(objects.get(each));
            xml.append("<Contents><Key>" + each + "</Key><ETag>&quot;" + tag(content) + "&quot;</ETag><Size>"
                    + content.length + "</Size></Contents>");
        }
        if (isCut) {
            xml.append("<NextContinuationToken>" + keys.get(PAGE - 1) + "</NextContinuationToken>");
        }
        send(exchange, 200, xml.append("</ListBucketResult>").toString().getBytes(StandardCharsets.UTF_8), -1);
    }

    private void object(HttpExchange exchange, String key, Map<String, String> query, @Nullable Trouble trouble)
            throws IOException {
        String version = query.get("versionId");
        byte[] content = version == null ? objects.get(key) : versions.get(key + " " + version);
        if (content == null) {
            refuse(exchange, 404, version == null ? "NoSuchKey" : "NoSuchVersion");
            return;
        }
        String match = exchange.getRequestHeaders().getFirst("If-Match");
        String tag = "\"" + tag(content) + "\"";
        if (match != null && !match.equals(tag)) {
            refuse(exchange, 412, "PreconditionFailed");
            return;
        }
        exchange.getResponseHeaders().set("ETag", tag);
        String range = exchange.getRequestHeaders().getFirst("Range");
        int from = range == null ? 0 : Integer.parseInt(range.replaceAll("bytes=(\\d+)-.*", "$1"));
        if (range != null) {
            exchange.getResponseHeaders()
                    .set("Content-Range", "bytes " + from + "-" + (content.length - 1) + "/" + content.length);
        }
        send(
                exchange,
                range == null ? 200 : 206,
                Arrays.copyOfRange(content, from, content.length),
                trouble == null ? -1 : trouble.bytes);
    }

    private static void refuse(HttpExchange exchange, int status, String code) throws IOException {
        String xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Error><Code>" + code
                + "</Code><Message>because</Message>" + "</Error>";
        send(exchange, status, xml.getBytes(StandardCharsets.UTF_8), -1);
    }

    private static void send(HttpExchange exchange, int status, byte[] body, int cut) throws IOException {
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.getResponseHeaders().set("Content-Length", "" + body.length);
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        if (body.length > 0) {
            exchange.getResponseBody().write(body, 0, cut < 0 ? body.length : cut);
            exchange.getResponseBody().flush();
        }
        if (cut < 0 && body.length > 0) {
            exchange.getResponseBody().close();
        }
    }

    private static String tag(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
