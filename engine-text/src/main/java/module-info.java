/// Text in and vectors out: tokenizers, pooling, embedding models.
module dev.millrace.text {
    requires transitive dev.millrace.session;
    requires static transitive org.jspecify;

    exports dev.millrace.text;
    exports dev.millrace.text.json to
            ai.djl.tokenizers,
            dev.millrace.extensions;
    exports dev.millrace.text.speech to
            dev.millrace.extensions,
            dev.millrace.pipelines;
}
