package dev.millrace.providers.spi;

/**
 * Facts about a compiled partition, which its EPContext node states for people and tools. An empty text leaves an attribute to
 * the engine.
 *
 * @param sdkVersion the version of the provider's compiler, {@code ep_sdk_version}
 * @param hardware the hardware that it was compiled for, {@code hardware_architecture}
 * @param notes further text, {@code notes}
 * @param modelFile the file name of the model that it was compiled from, {@code onnx_model_filename}
 * @param maxSize the largest size of a context that the provider can load, {@code max_size}; 0 for none
 */
public record ContextFacts(String sdkVersion, String hardware, String notes, String modelFile, long maxSize) {
    /** No facts. */
    public static final ContextFacts NONE = new ContextFacts("", "", "", "", 0);

    public ContextFacts withSdkVersion(String text) {
        return new ContextFacts(text, hardware, notes, modelFile, maxSize);
    }

    public ContextFacts withHardware(String text) {
        return new ContextFacts(sdkVersion, text, notes, modelFile, maxSize);
    }

    public ContextFacts withNotes(String text) {
        return new ContextFacts(sdkVersion, hardware, text, modelFile, maxSize);
    }
}
