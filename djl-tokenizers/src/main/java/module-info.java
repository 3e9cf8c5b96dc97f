/// The API of DJL's tokenizers over this engine. The module has the name of DJL's, so that programs on the module path
/// find it.
module ai.djl.tokenizers {
    requires transitive ai.djl.api;
    requires dev.millrace.text;
    requires static transitive org.jspecify;

    exports ai.djl.huggingface.tokenizers;
    exports ai.djl.huggingface.tokenizers.jni;
}
