package dev.millrace.server.rest;

import dev.millrace.server.tensor.JsonTree;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * An answer to a request.
 *
 * @param body the whole body; null for a stream
 * @param parts the body of a stream in parts, each of which is sent as it comes; empty for a whole body
 * @param end is called when the answer is sent, or is not sent any more
 */
public record HttpAnswer(
        HttpResponseStatus status,
        String contentType,
        Map<String, String> headers,
        @Nullable ByteBuf body,
        Flux<ByteBuf> parts,
        Runnable end) {
    private static final String JSON = "application/json";

    public static HttpAnswer json(Object tree) {
        return json(HttpResponseStatus.OK, tree);
    }

    public static HttpAnswer json(HttpResponseStatus status, @Nullable Object tree) {
        return json(status, Map.of(), tree);
    }

    static HttpAnswer json(HttpResponseStatus status, Map<String, String> headers, @Nullable Object tree) {
        return body(status, JSON, headers, Unpooled.wrappedBuffer(JsonTree.bytes(tree)));
    }

    public static HttpAnswer text(String contentType, String text) {
        return text(contentType, text, Map.of());
    }

    public static HttpAnswer text(String contentType, String text, Map<String, String> headers) {
        ByteBuf body = Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8));
        return body(HttpResponseStatus.OK, contentType, headers, body);
    }

    /** Returns an answer that sends the client to another address, which may be relative to the one it asked for. */
    public static HttpAnswer redirect(String location) {
        return body(HttpResponseStatus.FOUND, JSON, Map.of("Location", location), Unpooled.EMPTY_BUFFER);
    }

    /** Returns an answer without a body. */
    static HttpAnswer empty() {
        return body(HttpResponseStatus.OK, JSON, Map.of(), Unpooled.EMPTY_BUFFER);
    }

    /** Releases the body, and what a stream holds. Neither is sent any more. */
    void release() {
        if (body != null) {
            body.release();
        }
        end.run();
    }

    static HttpAnswer body(HttpResponseStatus status, String contentType, Map<String, String> headers, ByteBuf body) {
        return new HttpAnswer(status, contentType, headers, body, Flux.empty(), () -> {});
    }

    /**
     * Returns a stream of server-sent events, each of which is a tree.
     *
     * @param end is called when the stream has ended, or is not sent any more
     */
    public static HttpAnswer events(Flux<?> trees, Runnable end) {
        return new HttpAnswer(
                HttpResponseStatus.OK,
                "text/event-stream; charset=utf-8",
                Map.of("Cache-Control", "no-cache"),
                null,
                trees.map(HttpAnswer::event),
                end);
    }

    private static ByteBuf event(Object tree) {
        byte[] text = tree instanceof String plain ? plain.getBytes(StandardCharsets.UTF_8) : JsonTree.bytes(tree);
        ByteBuf event = Unpooled.buffer(text.length + 8);
        event.writeCharSequence("data: ", StandardCharsets.US_ASCII);
        return event.writeBytes(text).writeByte('\n').writeByte('\n');
    }
}
