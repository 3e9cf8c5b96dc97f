package dev.millrace.graph;

/**
 * The kind of failure that an {@link EngineException} reports. The names are those of ONNX Runtime where it has one.
 */
public enum Status {
    FAIL,
    INVALID_ARGUMENT,
    NO_SUCH_FILE,
    NO_MODEL,
    ENGINE_ERROR,
    RUNTIME_EXCEPTION,
    INVALID_PROTOBUF,
    MODEL_LOADED,
    NOT_IMPLEMENTED,
    INVALID_GRAPH,
    EP_FAIL,
    MODEL_LOAD_CANCELED,
    MODEL_REQUIRES_COMPILATION,
    NOT_FOUND,
    CANCELLED,
    /** A request that waits or runs for longer than it may. */
    DEADLINE_EXCEEDED,
    /** A queue that is full: the same request may well be served later. */
    OVERLOADED,
    /** More memory than an engine's budget has left, even after all idle memory was released. */
    BUDGET_EXCEEDED,
    /** A session or an engine that is closed: the same request may well be served by another one. */
    CLOSED
}
