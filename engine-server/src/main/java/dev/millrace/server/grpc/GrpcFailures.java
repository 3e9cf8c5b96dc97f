package dev.millrace.server.grpc;

import dev.millrace.graph.EngineException;
import dev.millrace.server.access.AccessDenied;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;

/** Failures as gRPC has them. */
final class GrpcFailures {
    private static final System.Logger LOG = System.getLogger("dev.millrace.server.access");

    /** The most chars of a message. Clients refuse trailers of more than 8 KiB, in which a char may take nine bytes. */
    private static final int LONGEST = 800;

    private GrpcFailures() {}

    static StatusException of(Throwable failure) {
        return switch (failure) {
            case EngineException known ->
                status(known.status())
                        .withDescription(told(String.valueOf(known.getMessage())))
                        .asException();
            case AccessDenied denied ->
                Status.PERMISSION_DENIED
                        .withDescription(told(String.valueOf(denied.getMessage())))
                        .asException();
            case StatusRuntimeException own -> own.getStatus().asException();
            default -> {
                LOG.log(System.Logger.Level.ERROR, "a request failed", failure);
                yield Status.INTERNAL
                        .withDescription("unexpected " + failure.getClass().getSimpleName())
                        .asException();
            }
        };
    }

    private static String told(String message) {
        return message.length() <= LONGEST ? message : message.substring(0, LONGEST) + "…";
    }

    private static Status status(dev.millrace.graph.Status status) {
        return switch (status) {
            case INVALID_ARGUMENT,
                    INVALID_GRAPH,
                    INVALID_PROTOBUF,
                    NO_MODEL,
                    NO_SUCH_FILE,
                    MODEL_LOADED,
                    MODEL_REQUIRES_COMPILATION -> Status.INVALID_ARGUMENT;
            case NOT_FOUND -> Status.NOT_FOUND;
            case NOT_IMPLEMENTED -> Status.UNIMPLEMENTED;
            case OVERLOADED, CLOSED -> Status.UNAVAILABLE;
            case BUDGET_EXCEEDED -> Status.RESOURCE_EXHAUSTED;
            case DEADLINE_EXCEEDED -> Status.DEADLINE_EXCEEDED;
            case CANCELLED, MODEL_LOAD_CANCELED -> Status.CANCELLED;
            case FAIL, ENGINE_ERROR, RUNTIME_EXCEPTION, EP_FAIL -> Status.INTERNAL;
        };
    }
}
