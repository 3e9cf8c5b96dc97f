/// The API of ONNX Runtime for Java over this engine. The module has ONNX Runtime's name, so that programs on the
/// module path find it.
module com.microsoft.onnxruntime {
    requires dev.millrace.session;
    requires static transitive org.jspecify;

    exports ai.onnxruntime;
    exports ai.onnxruntime.platform;
    exports ai.onnxruntime.providers;
}
