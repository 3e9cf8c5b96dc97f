package ai.onnxruntime;

/** The options of an execution provider. This engine has none of those providers, so no instance is ever created. */
public abstract class OrtProviderOptions implements AutoCloseable {
    protected final long nativeHandle;

    protected boolean closed;

    protected OrtProviderOptions(long nativeHandle) {
        this.nativeHandle = nativeHandle;
    }

    /** Returns 0: there is no native interface. */
    protected static long getApiHandle() {
        return 0;
    }

    public abstract OrtProvider getProvider();

    protected abstract void applyToNative() throws OrtException;

    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        checkClosed();
        closed = true;
        close(getApiHandle(), nativeHandle);
    }

    /** Throws if these options are closed. */
    protected void checkClosed() {
        if (isClosed()) {
            throw new IllegalStateException("These provider options are closed");
        }
    }

    protected abstract void close(long apiHandle, long nativeHandle);

    /** Throws {@code ORT_EP_FAIL}: there is no library of the provider. */
    protected static long loadLibraryAndCreate(OrtProvider provider, OrtProviderSupplier constructor)
            throws OrtException {
        throw ExecutionProviders.noLibrary(provider.getName());
    }

    /** A maker of native options. */
    public interface OrtProviderSupplier {
        long create() throws OrtException;
    }
}
