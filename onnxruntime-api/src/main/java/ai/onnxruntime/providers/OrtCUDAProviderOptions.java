package ai.onnxruntime.providers;

import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtProvider;

/** Options for CUDA, which cannot be created without a library of that provider. */
public final class OrtCUDAProviderOptions extends StringConfigProviderOptions {
    private static final OrtProvider PROVIDER = OrtProvider.CUDA;

    /** Throws {@code ORT_EP_FAIL}. */
    public OrtCUDAProviderOptions() throws OrtException {
        this(0);
    }

    /** Throws {@code ORT_EP_FAIL}. */
    public OrtCUDAProviderOptions(int deviceId) throws OrtException {
        super(loadLibraryAndCreate(PROVIDER, () -> deviceId));
    }

    @Override
    public OrtProvider getProvider() {
        return PROVIDER;
    }

    @Override
    protected void applyToNative(long apiHandle, long nativeHandle, String[] keys, String[] values)
            throws OrtException {
        throw new OrtException("There is no native provider for " + PROVIDER.getName());
    }

    @Override
    protected void close(long apiHandle, long nativeHandle) {
        // there is nothing native to free
    }
}
