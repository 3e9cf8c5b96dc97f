package dev.millrace.bench.serve;

/** The engine that serves. */
enum Side {
    OURS("millrace"),
    PEER("onnxruntime"),
    PEER_SHARED("onnxruntime, shared pool");

    private final String label;

    Side(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
