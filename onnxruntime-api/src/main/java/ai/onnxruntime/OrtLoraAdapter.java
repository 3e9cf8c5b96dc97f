package ai.onnxruntime;

import java.nio.ByteBuffer;

/** A LoRA adapter. This engine reads none, so no instance is ever created. */
public final class OrtLoraAdapter implements AutoCloseable {
    private OrtLoraAdapter() {}

    private static OrtException refusal() {
        return Errors.notImplemented("LoRA adapters are not read; merge the adapter into the model's weights");
    }

    /** Throws {@code ORT_NOT_IMPLEMENTED}. */
    public static OrtLoraAdapter create(byte[] loraArray) throws OrtException {
        throw refusal();
    }

    /** Throws {@code ORT_NOT_IMPLEMENTED}. */
    public static OrtLoraAdapter create(ByteBuffer loraBuffer) throws OrtException {
        throw refusal();
    }

    /** Throws {@code ORT_NOT_IMPLEMENTED}. */
    public static OrtLoraAdapter create(String loraPath) throws OrtException {
        throw refusal();
    }

    @Override
    public void close() {
        // there is nothing to free
    }
}
