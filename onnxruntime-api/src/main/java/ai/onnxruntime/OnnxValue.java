package ai.onnxruntime;

import java.util.Map;

/** A value that a session takes or returns. */
public interface OnnxValue extends AutoCloseable {
    OnnxValueType getType();

    /** Returns the value in types of Java, as a copy. */
    Object getValue() throws OrtException;

    ValueInfo getInfo();

    boolean isClosed();

    @Override
    void close();

    /** Closes all of these values. */
    static void close(Iterable<? extends OnnxValue> itr) {
        itr.forEach(OnnxValue::close);
    }

    /** Closes all values of a map. */
    static void close(Map<String, ? extends OnnxValue> map) {
        close(map.values());
    }

    /** The kinds of values. */
    enum OnnxValueType {
        ONNX_TYPE_UNKNOWN(0),
        ONNX_TYPE_TENSOR(1),
        ONNX_TYPE_SEQUENCE(2),
        ONNX_TYPE_MAP(3),
        ONNX_TYPE_OPAQUE(4),
        ONNX_TYPE_SPARSETENSOR(5),
        ONNX_TYPE_OPTIONAL(6);

        public final int value;

        OnnxValueType(int value) {
            this.value = value;
        }
    }
}
