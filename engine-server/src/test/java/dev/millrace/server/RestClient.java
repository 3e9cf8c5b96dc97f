package dev.millrace.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A client of the server's HTTP port, by the JDK. It checks answers of the protocol by their schema. */
final class RestClient implements AutoCloseable {
    private final HttpClient client;
    private final String base;

    RestClient(ModelServer server) {
        this(server, HttpClient.Version.HTTP_1_1);
    }

    RestClient(ModelServer server, HttpClient.Version version) {
        client = HttpClient.newBuilder().version(version).build();
        base = "http://127.0.0.1:" + server.httpPort() + "/";
    }

    /** An answer as a text. */
    record Answer(int status, String body, java.net.http.HttpHeaders headers, byte[] bytes) {}

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
        var body = new java.io.ByteArrayOutputStream();
        body.writeBytes(json.getBytes(StandardCharsets.UTF_8));
        int length = body.size();
        for (byte[] blob : blobs) {
            body.writeBytes(blob);
        }
        return post(path, body.toByteArray(), Map.of("Inference-Header-Content-Length", Integer.toString(length)));
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
            throw new java.io.UncheckedIOException(e);
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
    }
}
