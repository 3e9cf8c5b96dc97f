package dev.millrace.server.rest;

import dev.millrace.server.model.RunObservations;
import dev.millrace.server.timeline.ModelOperation;
import dev.millrace.server.timeline.RequestTimeline;
import io.micrometer.observation.Observation;
import io.micrometer.observation.transport.RequestReplyReceiverContext;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.netty.http.server.HttpServerRequest;

/**
 * Observations of requests by HTTP, under OpenTelemetry's names. A trace that the request's headers name goes on. Nothing is
 * made where nobody observes.
 *
 * @param generations hears of the requests that OpenTelemetry's conventions for generative models name, whose observations have
 *     the keys of these conventions; null where the names are not wanted
 */
public record HttpObservations(
        RunObservations runs, @Nullable Consumer<RequestTimeline> generations) {
    private static final String NAME = "http.server.request.duration";
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String STATUS = "http.response.status_code";
    /** The values of a body that keys of the request have, by their names there. */
    private static final List<String> PARAMETERS =
            List.of("model", "max_tokens", "temperature", "top_p", "top_k", "seed");

    /** @param pattern the segments of the route's path, or null without a route */
    OfRequest begin(HttpServerRequest request, @Nullable List<String> pattern) {
        if (runs.registry().isNoop()) {
            return OfRequest.NONE;
        }
        var context = new RequestReplyReceiverContext<HttpHeaders, HttpResponseStatus>((from, key) -> from.get(key));
        context.setCarrier(request.requestHeaders());
        String method = request.method().name();
        String route = pattern == null ? "" : String.join("/", pattern);
        Observation observation = Observation.createNotStarted(NAME, () -> context, runs.registry())
                .contextualName(pattern == null ? method : method + " /" + route)
                .lowCardinalityKeyValue("http.request.method", method)
                .lowCardinalityKeyValue("http.route", "/" + route)
                .highCardinalityKeyValue("url.path", request.fullPath());
        ModelOperation operation = ModelOperation.of(route);
        boolean isGenerative = false;
        if (generations != null && operation != null && operation.isGenerative()) {
            isGenerative = true;
            observation
                    .highCardinalityKeyValue("gen_ai.operation.name", operation.label())
                    .highCardinalityKeyValue("gen_ai.provider.name", "millrace");
        }
        return new OfRequest(runs, observation.start(), isGenerative);
    }

    /** A request has been answered. */
    void ended(RequestTimeline timeline) {
        ModelOperation operation = timeline.operation();
        if (generations != null && operation != null && operation.isGenerative()) {
            generations.accept(timeline);
        }
    }

    /** The observation of one request. */
    static final class OfRequest {
        static final OfRequest NONE = new OfRequest(null, Observation.NOOP, false);

        private final @Nullable RunObservations runs;
        private final Observation observation;
        private final boolean isGenerative;

        private OfRequest(@Nullable RunObservations runs, Observation observation, boolean isGenerative) {
            this.runs = runs;
            this.observation = observation;
            this.isGenerative = isGenerative;
        }

        /** Returns the handling of the request, whose end ends the observation. */
        Mono<Void> around(Mono<Void> handling) {
            return runs == null
                    ? handling
                    : runs.below(
                            observation,
                            handling.doOnError(observation::error)
                                    .doOnCancel(() -> failed(HttpProblem.CLIENT_CLOSED, RunObservations.cancelled()))
                                    .doFinally(_ -> observation.stop()));
        }

        void answered(HttpResponseStatus status) {
            if (runs != null) {
                observation.lowCardinalityKeyValue(STATUS, Integer.toString(status.code()));
            }
        }

        /** The request fails. A status that blames the client does not mark the observation, as is usual for servers. */
        void failed(HttpResponseStatus status, Throwable failure) {
            answered(status);
            if (runs != null && (status.code() >= 500 || status == HttpProblem.CLIENT_CLOSED)) {
                observation.error(failure);
            }
        }

        /** The request has been answered; its timeline has the tokens. */
        void ended(RequestTimeline timeline) {
            if (!isGenerative || !timeline.isAnswered()) {
                return;
            }
            observation
                    .highCardinalityKeyValue("gen_ai.response.model", timeline.model())
                    .highCardinalityKeyValue("gen_ai.usage.input_tokens", Long.toString(timeline.promptTokens()));
            if (!timeline.generations().isEmpty()) {
                observation.highCardinalityKeyValue(
                        "gen_ai.usage.output_tokens", Long.toString(timeline.generatedTokens()));
            }
            long first = timeline.firstToken();
            if (first != 0) {
                double seconds = (first - timeline.received()) / NANOS_PER_SECOND;
                observation.highCardinalityKeyValue("gen_ai.response.time_to_first_chunk", Double.toString(seconds));
            }
        }

        /** The body of the request has been read. */
        void read(Map<String, @Nullable Object> body) {
            if (isGenerative) {
                for (String each : PARAMETERS) {
                    Object value = body.get(each);
                    if (value instanceof String || value instanceof Number) {
                        observation.highCardinalityKeyValue("gen_ai.request." + each, value.toString());
                    }
                }
            }
        }
    }
}
