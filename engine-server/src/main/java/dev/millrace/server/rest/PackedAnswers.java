package dev.millrace.server.rest;

import dev.millrace.server.endpoint.AnswerCompression;
import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.HashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * The packing of answers for clients that accept it. Streams and short answers are sent as they are.
 *
 * @param level that of the deflate algorithm; 0 for none
 */
record PackedAnswers(int level) {
    /** The length from which on an answer is not packed on the thread of the connection. */
    private static final int LONG = 1 << 16;
    /** The length of the sample that tells whether a longer answer becomes much shorter. */
    private static final int SAMPLE = 1 << 13;

    /** Returns an answer that is packed if the headers of its request accept that. */
    Mono<HttpAnswer> packed(Mono<HttpAnswer> answer, HttpHeaders asked) {
        String accepted = level == 0 ? null : asked.get(HttpHeaderNames.ACCEPT_ENCODING);
        PackedBody form = accepted == null ? null : PackedBody.accepted(accepted);
        return form == null ? answer : answer.flatMap(each -> packed(each, form));
    }

    private Mono<HttpAnswer> packed(HttpAnswer answer, PackedBody form) {
        @Nullable ByteBuf body = answer.body();
        if (body == null || body.readableBytes() <= AnswerCompression.SHORT) {
            return Mono.just(answer);
        }
        Mono<HttpAnswer> given = Mono.just(answer);
        if (body.readableBytes() > LONG) {
            given = given.hide().publishOn(Schedulers.parallel()).doOnDiscard(HttpAnswer.class, HttpAnswer::release);
        }
        return given.map(each -> packed(each, body, form));
    }

    /** Returns the answer with its body packed, or as it is if that is hardly shorter. */
    private HttpAnswer packed(HttpAnswer answer, ByteBuf body, PackedBody form) {
        ByteBuf packed;
        try {
            if (body.readableBytes() > 2 * SAMPLE && !isWorthIt(body, form)) {
                return answer;
            }
            packed = form.packed(body, level);
        } catch (RuntimeException | Error e) {
            answer.release();
            throw e;
        }
        if (packed.readableBytes() >= body.readableBytes()) {
            packed.release();
            return answer;
        }
        body.release();
        var headers = new HashMap<>(answer.headers());
        headers.put("Content-Encoding", form.coding());
        headers.put("Vary", "Accept-Encoding");
        return new HttpAnswer(answer.status(), answer.contentType(), headers, packed, Flux.empty(), answer.end());
    }

    /** Whether a part from the middle becomes a quarter shorter. Floats do not, and packing them takes longer than sending them. */
    private boolean isWorthIt(ByteBuf body, PackedBody form) {
        int start = body.readerIndex() + (body.readableBytes() - SAMPLE) / 2;
        ByteBuf packed = form.packed(body.slice(start, SAMPLE), level);
        try {
            return packed.readableBytes() <= SAMPLE - SAMPLE / 4;
        } finally {
            packed.release();
        }
    }
}
