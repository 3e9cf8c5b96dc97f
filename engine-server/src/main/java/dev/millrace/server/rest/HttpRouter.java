package dev.millrace.server.rest;

import dev.millrace.server.access.Permissions;
import dev.millrace.server.access.Tokens;
import dev.millrace.server.endpoint.SharedParts;
import dev.millrace.server.setting.ServerSettings;
import dev.millrace.server.timeline.ModelOperation;
import dev.millrace.server.timeline.RecentRequests;
import dev.millrace.server.timeline.RequestTimeline;
import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.netty.http.server.HttpServerRequest;
import reactor.netty.http.server.HttpServerResponse;

/** Finds the handler of a request by its path, and sends the handler's answer or the failure's. */
public final class HttpRouter implements BiFunction<HttpServerRequest, HttpServerResponse, Publisher<Void>> {
    private static final System.Logger LOG = System.getLogger("dev.millrace.server.access");
    private static final String VARIABLE = "*";

    /** A handler of requests. */
    @FunctionalInterface
    public interface Handler {
        Mono<HttpAnswer> handle(HttpCall call);
    }

    /** Returns the body of an answer to a request that failed with a status and a message. */
    @FunctionalInterface
    interface ErrorForm extends BiFunction<HttpResponseStatus, String, Object> {}

    /**
     * @param access what a token has to permit; null where none is needed
     * @param operation the kind of request whose times are kept; null where they are not
     */
    private record Route(
            HttpMethod method,
            List<String> pattern,
            Handler handler,
            ErrorForm errors,
            @Nullable RouteAccess access,
            @Nullable ModelOperation operation) {}

    private static final ErrorForm PROTOCOL_ERROR = (_, message) -> Map.of("error", message);

    private final List<Route> routes = new ArrayList<>();
    /** The forms of the failures of requests that have no route, by the first segments of their paths. */
    private final Map<String, ErrorForm> strayErrors = new HashMap<>();

    private final ServerSettings settings;
    private final Tokens tokens;
    private final int bodyLimit;
    private final int mostRequests;
    private final PackedAnswers packing;
    private final HttpObservations observations;
    private final RecentRequests recent;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong bodyBytes = new AtomicLong();

    public HttpRouter(SharedParts shared, HttpObservations observations) {
        settings = shared.settings();
        tokens = shared.access().tokens();
        bodyLimit = shared.access().mostBytes();
        mostRequests = shared.access().mostRequests();
        packing = new PackedAnswers(shared.compression().http());
        recent = shared.recent();
        this.observations = observations;
    }

    /** The requests that are being handled. */
    public int active() {
        return requests.get();
    }

    int bodyLimit() {
        return bodyLimit;
    }

    /** Adds a route. A segment of the path that is an asterisk is a variable. */
    public HttpRouter route(HttpMethod method, String path, Handler handler) {
        return add(method, path, handler, PROTOCOL_ERROR, RouteAccess.of(method, path));
    }

    /** Adds a route that needs no token. */
    public HttpRouter openRoute(HttpMethod method, String path, Handler handler) {
        return add(method, path, handler, PROTOCOL_ERROR, null);
    }

    /** Adds a route whose failures have a form of their own. */
    public HttpRouter route(
            HttpMethod method, String path, Handler handler, BiFunction<HttpResponseStatus, String, Object> errors) {
        return add(method, path, handler, errors::apply, RouteAccess.of(method, path));
    }

    /** Gives a form to the failures of the requests below a path that no route is for. */
    public HttpRouter strayErrors(String first, BiFunction<HttpResponseStatus, String, Object> errors) {
        strayErrors.put(first, errors::apply);
        return this;
    }

    private HttpRouter add(
            HttpMethod method, String path, Handler handler, ErrorForm errors, @Nullable RouteAccess access) {
        routes.add(new Route(method, List.of(path.split("/")), handler, errors, access, ModelOperation.of(path)));
        return this;
    }

    @Override
    public Publisher<Void> apply(HttpServerRequest request, HttpServerResponse response) {
        long start = System.nanoTime();
        List<String> path = segments(request.uri());
        Route route = find(request.method(), path);
        ErrorForm errors = route == null ? strayErrors.getOrDefault(path.getFirst(), PROTOCOL_ERROR) : route.errors;
        var observed = route != null && isProbe(route)
                ? HttpObservations.OfRequest.NONE
                : observations.begin(request, route == null ? null : route.pattern);
        var timeline = new RequestTimeline(request.protocol(), route == null ? null : route.operation);
        var memory = new BodyMemory(bodyBytes, Runtime.getRuntime().maxMemory());
        Mono<HttpAnswer> answer = Mono.defer(() -> answer(route, request, path, memory, observed, timeline))
                .doFinally(_ -> memory.close())
                .onErrorResume(failure -> Mono.fromSupplier(() -> failed(failure, errors, observed)));
        Mono<Void> handling = (isCounted(route) ? counted(answer) : answer).flatMap(each -> {
            observed.answered(each.status());
            timeline.answered(each.status().codeAsText().toString());
            // an answer whose client has gone may never be sent
            return Mono.using(
                            () -> each,
                            own -> onLoop(Mono.defer(() -> send(own, response)), response),
                            HttpAnswer::release)
                    .doFinally(_ -> log(request, each.status(), System.nanoTime() - start));
        });
        return observed.around(timeline.operation() == null ? handling : timed(handling, timeline, observed));
    }

    /** Returns the handling of a request that counts towards the limit from now on until it is answered. */
    private Mono<HttpAnswer> counted(Mono<HttpAnswer> answer) {
        requests.incrementAndGet();
        var isOver = new AtomicBoolean();
        Runnable end = () -> {
            if (!isOver.getAndSet(true)) {
                requests.decrementAndGet();
            }
        };
        // before the answer leaves, because a client that has it may send its next request at once
        return answer.doOnSuccess(_ -> end.run()).doFinally(_ -> end.run());
    }

    private Mono<Void> timed(Mono<Void> handling, RequestTimeline timeline, HttpObservations.OfRequest observed) {
        Mono<Void> ending = handling.doOnTerminate(() -> {
                    timeline.end();
                    observed.ended(timeline);
                    observations.ended(timeline);
                })
                .doOnCancel(() ->
                        timeline.end(HttpProblem.CLIENT_CLOSED.codeAsText().toString()));
        return observations.runs().in(timeline, ending);
    }

    /**
     * Returns the sending of an answer on the thread of its connection. Sent on another thread, it ends while the connection's
     * next request arrives, and then the connection may never be read again.
     */
    private static Mono<Void> onLoop(Mono<Void> sending, HttpServerResponse response) {
        var loop = new AtomicReference<EventLoop>();
        response.withConnection(connection -> loop.set(connection.channel().eventLoop()));
        return loop.get().inEventLoop() ? sending : sending.subscribeOn(Schedulers.fromExecutor(loop.get()));
    }

    /** Whether requests of this route count towards the limit. Questions about health and metrics are always answered. */
    private static boolean isCounted(@Nullable Route route) {
        return route != null && route.method.equals(HttpMethod.POST);
    }

    /** Whether a route answers probes of health or collectors of metrics, whose traces nobody reads. */
    private static boolean isProbe(Route route) {
        return route.access == null || route.pattern.getFirst().equals("metrics");
    }

    private Mono<HttpAnswer> answer(
            @Nullable Route route,
            HttpServerRequest request,
            List<String> path,
            BodyMemory memory,
            HttpObservations.OfRequest observed,
            RequestTimeline timeline) {
        if (route == null) {
            throw missing(path);
        }
        Permissions permissions = permissions(request, route);
        if (route.operation != null) {
            recent.keep(timeline);
        }
        if (isCounted(route) && requests.get() > mostRequests) {
            throw new HttpProblem(
                    HttpResponseStatus.TOO_MANY_REQUESTS,
                    "the server handles " + mostRequests + " requests, its limit");
        }
        var variables = new ArrayList<String>();
        for (int i = 0; i < path.size(); i++) {
            if (route.pattern.get(i).equals(VARIABLE)) {
                variables.add(path.get(i));
            }
        }
        if (!variables.isEmpty()) {
            timeline.asksFor(variables.getFirst());
        }
        if (route.access != null) {
            route.access.check(permissions, variables);
        }
        var call = new HttpCall(request, List.copyOf(variables), permissions, bodyLimit, memory, observed, timeline);
        return packing.packed(route.handler.handle(call), call.headers());
    }

    private HttpProblem missing(List<String> path) {
        List<String> methods = routes.stream()
                .filter(each -> matches(each.pattern, path))
                .map(each -> each.method.name())
                .toList();
        if (methods.isEmpty()) {
            return new HttpProblem(HttpResponseStatus.NOT_FOUND, "there is nothing at /" + String.join("/", path));
        }
        var allowed = new ArrayList<>(methods);
        if (methods.contains(HttpMethod.GET.name())) {
            allowed.add(HttpMethod.HEAD.name());
        }
        return new HttpProblem(
                HttpResponseStatus.METHOD_NOT_ALLOWED,
                "the method here is " + String.join(" or ", methods),
                Map.of("Allow", String.join(", ", allowed)));
    }

    private Permissions permissions(HttpServerRequest request, Route route) {
        Permissions found = route.access == null
                ? Permissions.NONE
                : tokens.of(request.requestHeaders().get(HttpHeaderNames.AUTHORIZATION));
        if (found == null) {
            throw new HttpProblem(
                    HttpResponseStatus.UNAUTHORIZED,
                    "the request needs the server's bearer token",
                    Map.of("WWW-Authenticate", "Bearer"));
        }
        return found;
    }

    private static HttpAnswer failed(Throwable failure, ErrorForm errors, HttpObservations.OfRequest observed) {
        HttpResponseStatus status = HttpProblem.logged(failure);
        observed.failed(status, failure);
        return HttpAnswer.json(
                status, HttpProblem.headersOf(failure, status), errors.apply(status, HttpProblem.messageOf(failure)));
    }

    /** Sends an answer, whose body stays the caller's. */
    private static Mono<Void> send(HttpAnswer answer, HttpServerResponse response) {
        response.status(answer.status()).header(HttpHeaderNames.CONTENT_TYPE, answer.contentType());
        answer.headers().forEach(response::header);
        ByteBuf body = answer.body();
        if (body == null) {
            return response.send(answer.parts(), (ByteBuf _) -> true).then();
        }
        response.header(HttpHeaderNames.CONTENT_LENGTH, Integer.toString(body.readableBytes()));
        return response.sendObject(body.retain()).then();
    }

    private void log(HttpServerRequest request, HttpResponseStatus status, long nanos) {
        if (settings.hasAccessLog()) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "{0} {1} {2} in {3} µs",
                    request.method(),
                    request.uri(),
                    status.code(),
                    nanos / 1000);
        }
    }

    /** Finds the route of a request. That of GET answers HEAD, too; the connection leaves the body out. */
    private @Nullable Route find(HttpMethod asked, List<String> path) {
        HttpMethod method = asked.equals(HttpMethod.HEAD) ? HttpMethod.GET : asked;
        for (Route each : routes) {
            if (each.method.equals(method) && matches(each.pattern, path)) {
                return each;
            }
        }
        return null;
    }

    private static boolean matches(List<String> pattern, List<String> path) {
        if (pattern.size() != path.size()) {
            return false;
        }
        for (int i = 0; i < path.size(); i++) {
            if (!pattern.get(i).equals(VARIABLE) && !pattern.get(i).equals(path.get(i))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns the decoded segments of the path of a URI, which may be absolute, as proxies send it. A segment that is not well encoded stays
     * as it is, and so matches nothing.
     */
    static List<String> segments(String uri) {
        int end = uri.indexOf('?');
        end = end < 0 ? uri.length() : end;
        int start = 0;
        int scheme = uri.startsWith("/") ? -1 : uri.indexOf("://");
        if (scheme > 0 && scheme < end) {
            int path = uri.indexOf('/', scheme + 3);
            start = path < 0 ? end : Math.min(path, end);
        }
        while (start < end && uri.charAt(start) == '/') {
            start++;
        }
        while (end > start && uri.charAt(end - 1) == '/') {
            end--;
        }
        var segments = new ArrayList<String>();
        while (start <= end) {
            int slash = uri.indexOf('/', start);
            int stop = slash < 0 || slash > end ? end : slash;
            segments.add(decoded(uri.substring(start, stop)));
            start = stop + 1;
        }
        return segments;
    }

    private static String decoded(String segment) {
        if (segment.indexOf('%') < 0) {
            return segment;
        }
        try {
            return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return segment;
        }
    }
}
