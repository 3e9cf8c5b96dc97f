package dev.millrace.djl;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrayAdapter;
import ai.djl.ndarray.NDScope;
import ai.djl.ndarray.internal.NDArrayEx;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.util.UUID;

/** An array of strings, for inputs and outputs of models. It has no arithmetic. */
final class StringArray extends NDArrayAdapter {
    private String[] strings;

    StringArray(DjlManager manager, Shape shape, String[] strings) {
        super(
                manager,
                UnsupportedOperations.MANAGER,
                shape,
                DataType.STRING,
                UUID.randomUUID().toString());
        this.strings = strings;
        if (shape.size() != strings.length) {
            throw new IllegalArgumentException(strings.length + " strings do not fill the shape " + shape);
        }
        manager.attachInternal(getUid(), this);
        NDScope.register(this);
    }

    @Override
    public String[] toStringArray(Charset charset) {
        if (isReleased()) {
            throw new IllegalStateException("the array was closed, or its manager was");
        }
        return strings.clone();
    }

    @Override
    public ByteBuffer toByteBuffer(boolean tryDirect) {
        throw UnsupportedOperations.failure("toByteBuffer of strings");
    }

    @Override
    public NDArray reshape(Shape to) {
        return new StringArray((DjlManager) manager, to, toStringArray());
    }

    @Override
    public NDArrayEx getNDArrayInternal() {
        throw UnsupportedOperations.failure("getNDArrayInternal of strings");
    }

    @Override
    public void intern(NDArray replaced) {
        strings = replaced.toStringArray();
        shape = replaced.getShape();
    }

    @Override
    public void detach() {
        manager.detachInternal(getUid());
        manager = DjlManager.TOP;
    }

    @Override
    public void close() {
        if (!isClosed) {
            super.close();
            manager.detachInternal(getUid());
        }
    }
}
