package dev.millrace.server.rest;

import dev.millrace.server.model.InferRequest;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.repository.ModelRepository;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import reactor.core.publisher.Mono;

/** The route of inferences. */
public final class InferRoutes {
    /** The length of a JSON document from which on it is not read on the thread of the connection. */
    private static final int LONG_DOCUMENT = 1 << 16;

    private final ModelRepository repository;

    public InferRoutes(ModelRepository repository) {
        this.repository = repository;
    }

    public void addTo(HttpRouter router) {
        for (String model : List.of("v2/models/*", "v2/models/*/versions/*")) {
            router.route(HttpMethod.POST, model + "/infer", this::infer);
        }
    }

    private Mono<HttpAnswer> infer(HttpCall call) {
        String header = call.headers().get(InferAnswer.HEADER_LENGTH);
        long jsonLength = header == null ? -1 : HttpCall.number(header, InferAnswer.HEADER_LENGTH);
        return call.body().flatMap(body -> {
            long document = jsonLength < 0 ? body.readableBytes() : jsonLength;
            return document > LONG_DOCUMENT
                    ? HttpCall.elsewhere(body).flatMap(moved -> infer(call, moved, jsonLength))
                    : infer(call, body, jsonLength);
        });
    }

    /** Answers a request and releases its body. */
    private Mono<HttpAnswer> infer(HttpCall call, ByteBuf body, long jsonLength) {
        LoadedVersion version;
        InferBody read;
        try {
            version = repository.acquire(call.variable(0), call.variable(1));
            try {
                read = jsonLength == 0
                        ? RawBody.read(body, version.model().config())
                        : InferBody.read(body, jsonLength);
                call.timeline().hasRows(version.rows(read.request()));
            } catch (RuntimeException e) {
                version.release();
                throw e;
            }
        } finally {
            body.release();
        }
        InferRequest request = read.request();
        call.timeline().understood(version.name(), version.version());
        return version.infer(request)
                .map(outputs -> InferAnswer.write(read, version, outputs))
                .doFinally(_ -> request.close());
    }
}
