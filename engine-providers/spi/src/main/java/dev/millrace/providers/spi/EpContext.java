package dev.millrace.providers.spi;

import dev.millrace.graph.ir.OpId;

/** The operator that stands for a compiled part of a model, and the names of its attributes. */
public final class EpContext {
    public static final OpId OP = new OpId(OpId.MICROSOFT, "EPContext");

    public static final String MAIN_CONTEXT = "main_context";
    public static final String CACHE_CONTEXT = "ep_cache_context";
    public static final String EMBED_MODE = "embed_mode";
    public static final String SDK_VERSION = "ep_sdk_version";
    public static final String MODEL_FILE = "onnx_model_filename";
    public static final String HARDWARE = "hardware_architecture";
    public static final String PARTITION = "partition_name";
    public static final String SOURCE = "source";
    public static final String NOTES = "notes";
    public static final String MAX_SIZE = "max_size";

    private EpContext() {}
}
