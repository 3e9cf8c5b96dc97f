package dev.millrace.bench.server;

/** A service that is measured. */
enum ServedKind {
    /** The model server. */
    MILLRACE,
    /** A service as an application has it, whose handlers call ONNX Runtime. */
    PEER
}
