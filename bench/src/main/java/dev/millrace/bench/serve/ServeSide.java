package dev.millrace.bench.serve;

/** The engine that serves. */
enum ServeSide {
    OURS("millrace"),
    ONNX_RUNTIME("onnxruntime"),
    ONNX_RUNTIME_SHARED("onnxruntime, shared pool");

    private final String label;

    ServeSide(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }
}
