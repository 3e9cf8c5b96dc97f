package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A client of the server's HTTP port, by the JDK. It checks answers of the protocol by their schema. */
final class RestClient implements AutoCloseable {
    private final ModelServer server;
    private final boolean isOwner;
    private final HttpClient client;
    private final String base;

    RestClient(ModelServer server) {
        this(server, HttpClient.Version.HTTP_1_1);
    }

    RestClient(ModelServer server, HttpClient.Version version) {
        this(server, version, false);
    }

    private RestClient(ModelServer server, HttpClient.Version version, boolean isOwner) {
        this.server = server;
        this.isOwner = isOwner;
        client = HttpClient.newBuilder().version(version).build();
        base = "http://127.0.0.1:" + server.httpPort() + "/";
    }

    /** Starts a server over a folder of models, and returns a client that closes it. */
    static RestClient ofOwnServer(Path models) {
        return new RestClient(TestServers.start(models), HttpClient.Version.HTTP_1_1, true);
    }

    ModelServer server() {
        return server;
    }

    /** An answer as a text. */
    record Answer(int status, String body, HttpHeaders headers, byte[] bytes) {}

    Answer get(String path) {
        return send(HttpRequest.newBuilder(URI.create(base + path)).build());
    }

    Answer post(String path, String body) {
        return post(path, body.getBytes(StandardCharsets.UTF_8), Map.of());
    }

    Answer post(String path, byte[] body, Map<String, String> headers) {
        var request = HttpRequest.newBuilder(URI.create(base + path)).POST(BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        return send(request.build());
    }

    /** Sends a body after a document, whose length the protocol's header has. */
    Answer postBinary(String path, String json, byte[]... blobs) {
        var body = new ByteArrayOutputStream();
        body.writeBytes(json.getBytes(StandardCharsets.UTF_8));
        int length = body.size();
        for (byte[] blob : blobs) {
            body.writeBytes(blob);
        }
        return post(path, body.toByteArray(), Map.of("Inference-Header-Content-Length", Integer.toString(length)));
    }

    /** Sends a body without waiting for the answer. */
    CompletableFuture<HttpResponse<String>> later(String path, String body) {
        var request = HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.ofString(body));
        return client.sendAsync(request.build(), BodyHandlers.ofString());
    }

    /** Sends one body so many times at once, and waits until each is answered with status 200. */
    void postAtOnce(int count, String path, String body) {
        IntStream.range(0, count)
                .mapToObj(_ -> later(path, body))
                .toList()
                .forEach(answer -> assertThat(answer.join().statusCode()).isEqualTo(200));
    }

    /** Waits until the server handles so many requests that count towards its limit. */
    void awaitActive(int requests) throws InterruptedException {
        for (int i = 0; i < 1000; i++) {
            if (get("metrics").body().contains("millrace_http_active " + requests + ".0\n")) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        throw new AssertionError("the server does not handle " + requests + " requests");
    }

    Answer send(HttpRequest request) {
        try {
            HttpResponse<byte[]> answer = client.send(request, BodyHandlers.ofByteArray());
            var read = new Answer(
                    answer.statusCode(),
                    new String(answer.body(), StandardCharsets.UTF_8),
                    answer.headers(),
                    answer.body());
            ProtocolSchema.check(request.uri().getPath().substring(1), read);
            return read;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    HttpClient client() {
        return client;
    }

    URI uri(String path) {
        return URI.create(base + path);
    }

    @Override
    public void close() {
        client.close();
        if (isOwner) {
            server.close();
        }
    }
}
