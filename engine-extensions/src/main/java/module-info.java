/// Operators of onnxruntime-extensions: tokenizers, strings, images and sounds in models.
module dev.millrace.extensions {
    requires dev.millrace.providers.spi;
    requires dev.millrace.text;
    requires java.desktop;
    requires static org.jspecify;

    exports dev.millrace.extensions;

    provides dev.millrace.providers.spi.ProviderFactory with
            dev.millrace.extensions.ExtensionsFactory;
}
