package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.access.AccessDenied;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.timeout.ReadTimeoutException;
import java.io.IOException;
import java.io.Serial;
import java.util.Map;
import reactor.netty.channel.AbortedException;

/** A request that fails with a status of HTTP that no status of the engine has. */
public final class HttpProblem extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private static final System.Logger LOG = System.getLogger("dev.millrace.server.access");

    static final HttpResponseStatus CLIENT_CLOSED = HttpResponseStatus.valueOf(499, "Client Closed Request");

    /** The seconds after which a client that was refused for lack of room may ask again. */
    private static final String RETRY = "1";

    private final transient HttpResponseStatus status;
    private final transient Map<String, String> headers;

    HttpProblem(HttpResponseStatus status, String message) {
        this(status, message, Map.of());
    }

    HttpProblem(HttpResponseStatus status, String message, Map<String, String> headers) {
        super(message);
        this.status = status;
        this.headers = headers;
    }

    HttpResponseStatus status() {
        return status;
    }

    /** Returns the status of an answer to a request that failed. */
    static HttpResponseStatus statusOf(Throwable failure) {
        return switch (failure) {
            case HttpProblem problem -> problem.status;
            case AccessDenied _ -> HttpResponseStatus.FORBIDDEN;
            case EngineException known -> statusOf(known.status());
            // of the connection: handlers throw no checked exceptions
            case AbortedException _, IOException _ -> CLIENT_CLOSED;
            case ReadTimeoutException _ -> HttpResponseStatus.REQUEST_TIMEOUT;
            default -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
        };
    }

    /** Returns the headers that belong to the answer to a request that failed with a status. */
    static Map<String, String> headersOf(Throwable failure, HttpResponseStatus status) {
        if (failure instanceof HttpProblem problem && !problem.headers.isEmpty()) {
            return problem.headers;
        }
        boolean hasNoRoom = status.equals(HttpResponseStatus.TOO_MANY_REQUESTS)
                || failure instanceof EngineException known && known.status() == Status.OVERLOADED;
        return hasNoRoom ? Map.of("Retry-After", RETRY) : Map.of();
    }

    private static HttpResponseStatus statusOf(Status status) {
        return switch (status) {
            case INVALID_ARGUMENT,
                    INVALID_GRAPH,
                    INVALID_PROTOBUF,
                    NO_MODEL,
                    NO_SUCH_FILE,
                    MODEL_LOADED,
                    MODEL_REQUIRES_COMPILATION -> HttpResponseStatus.BAD_REQUEST;
            case NOT_FOUND -> HttpResponseStatus.NOT_FOUND;
            case NOT_IMPLEMENTED -> HttpResponseStatus.NOT_IMPLEMENTED;
            case OVERLOADED, CLOSED, BUDGET_EXCEEDED -> HttpResponseStatus.SERVICE_UNAVAILABLE;
            case DEADLINE_EXCEEDED -> HttpResponseStatus.GATEWAY_TIMEOUT;
            case CANCELLED, MODEL_LOAD_CANCELED -> CLIENT_CLOSED;
            case FAIL, ENGINE_ERROR, RUNTIME_EXCEPTION, EP_FAIL -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
        };
    }

    /** Returns the status of a failure; writes one that is a fault of the server to the log. */
    public static HttpResponseStatus logged(Throwable failure) {
        HttpResponseStatus status = statusOf(failure);
        if (status.code() == HttpResponseStatus.INTERNAL_SERVER_ERROR.code()) {
            LOG.log(System.Logger.Level.ERROR, "a request failed", failure);
        }
        return status;
    }

    /** Returns what a caller reads of a failure. That of an unexpected exception names its type alone. */
    public static String messageOf(Throwable failure) {
        return failure instanceof EngineException || failure instanceof HttpProblem || failure instanceof AccessDenied
                ? String.valueOf(failure.getMessage())
                : "unexpected " + failure.getClass().getSimpleName();
    }
}
