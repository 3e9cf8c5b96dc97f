package ai.onnxruntime;

import dev.millrace.graph.tensor.Tensor;

/** A dense or sparse tensor. */
public abstract class OnnxTensorLike implements OnnxValue {
    /** Always 0: there is no native object. */
    protected final long nativeHandle = 0;

    /** Always 0: there is no native allocator. */
    protected final long allocatorHandle = 0;

    protected final TensorInfo info;

    protected boolean closed;

    OnnxTensorLike(TensorInfo info) {
        this.info = info;
    }

    /** Returns the tensor that the engine reads. */
    abstract Tensor dense();

    @Override
    public TensorInfo getInfo() {
        return info;
    }

    @Override
    public synchronized boolean isClosed() {
        return closed;
    }

    /** Throws if this value is closed. */
    protected void checkClosed() {
        if (isClosed()) {
            throw new IllegalStateException("This OnnxValue is closed; read it before close()");
        }
    }
}
