package dev.millrace.graph;

/** What kind of failure an {@link EngineException} reports. The names are those of ONNX Runtime where it has one. */
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
    CANCELLED
}
