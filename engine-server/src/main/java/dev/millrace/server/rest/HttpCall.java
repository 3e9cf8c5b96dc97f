package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.server.access.Permissions;
import dev.millrace.server.tensor.JsonTree;
import dev.millrace.server.timeline.RequestTimeline;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;

/**
 * A request that has found its route.
 *
 * @param variables the values of the route's variables, in their order
 * @param permissions what its token permits
 * @param limit the most bytes that its body may have
 * @param memory the bytes that its body takes of what all bodies may take
 * @param observed its observation
 * @param timeline its times
 */
public record HttpCall(
        HttpServerRequest request,
        List<String> variables,
        Permissions permissions,
        long limit,
        BodyMemory memory,
        HttpObservations.OfRequest observed,
        RequestTimeline timeline) {
    /** The length up to which a packed body is unpacked on the thread of the connection. Its content may be a thousand times as long. */
    private static final int SHORT_PACKED = 1 << 11;

    /** Returns the value of a variable of the route; empty where the route does not have so many. */
    public String variable(int index) {
        return index < variables.size() ? variables.get(index) : "";
    }

    HttpHeaders headers() {
        return request.requestHeaders();
    }

    /** Returns the body without its content encoding, which the caller releases. A body that is too large fails while it arrives. */
    Mono<ByteBuf> body() {
        String encoding = headers().get(HttpHeaderNames.CONTENT_ENCODING);
        if (encoding == null || encoding.equalsIgnoreCase("identity")) {
            return sent();
        }
        return Mono.fromSupplier(() -> PackedBody.of(encoding))
                .flatMap(packed -> sent().flatMap(
                                body -> body.readableBytes() > SHORT_PACKED ? elsewhere(body) : Mono.just(body))
                        .map(body -> packed.unpacked(body, limits())));
    }

    /** Hands a body to another thread. If the request is cancelled meanwhile, the body is discarded, and so released. */
    static Mono<ByteBuf> elsewhere(ByteBuf body) {
        return Mono.just(body).hide().publishOn(Schedulers.parallel()).doOnDiscard(ByteBuf.class, ByteBuf::release);
    }

    private BodyLimit limits() {
        return new BodyLimit(limit, memory);
    }

    /** Returns the body as it was sent. */
    private Mono<ByteBuf> sent() {
        BodyLimit limits = limits();
        String length = headers().get(HttpHeaderNames.CONTENT_LENGTH);
        if (length != null && number(length, "Content-Length") > limit) {
            return Mono.error(limits.tooLarge());
        }
        return Mono.defer(() -> {
            CompositeByteBuf all = Unpooled.compositeBuffer(Integer.MAX_VALUE);
            var given = new AtomicBoolean();
            Runnable release = () -> {
                if (given.compareAndSet(false, true)) {
                    all.release();
                }
            };
            return request.receive()
                    .doOnNext(part -> {
                        limits.check(all.readableBytes(), part.readableBytes());
                        all.addComponent(true, part.retain());
                    })
                    .then(Mono.fromSupplier(() -> {
                        given.set(true);
                        return (ByteBuf) all;
                    }))
                    .doOnError(_ -> release.run())
                    .doOnCancel(release);
        });
    }

    static long number(String text, String header) {
        try {
            long number = Long.parseLong(text.strip());
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below
        }
        throw EngineException.invalidArgument("header " + header + " is '" + text + "'; it is a number");
    }

    /** Returns the body as a JSON object; an empty one without a body. */
    public Mono<Map<String, @Nullable Object>> json() {
        return body().map(body -> {
            try {
                byte[] bytes = new byte[body.readableBytes()];
                body.readBytes(bytes);
                Map<String, @Nullable Object> tree = bytes.length == 0 ? Map.of() : JsonTree.readObject(bytes);
                observed.read(tree);
                return tree;
            } finally {
                body.release();
            }
        });
    }
}
