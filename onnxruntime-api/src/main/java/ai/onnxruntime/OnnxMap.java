package ai.onnxruntime;

import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.Tensor;
import java.util.HashMap;
import java.util.Map;

/** A map from strings or 64-bit integers to strings or numbers. Closing twice has no effect. */
public class OnnxMap implements OnnxValue {
    private final MapDatum map;
    private final MapInfo info;
    private boolean closed;

    OnnxMap(MapDatum map, MapInfo info) {
        this.map = map;
        this.info = info;
    }

    public int size() {
        return info.size;
    }

    @Override
    public OnnxValueType getType() {
        return OnnxValueType.ONNX_TYPE_MAP;
    }

    /** Returns a copy of the entries; keys are {@code Long} or {@code String}. */
    @Override
    public Map<? extends Object, ? extends Object> getValue() throws OrtException {
        checkClosed();
        var copy = new HashMap<Object, Object>();
        for (var entry : map.entries().entrySet()) {
            if (!(entry.getValue() instanceof Tensor tensor)) {
                throw Errors.notImplemented("The values of the map are no numbers and no strings");
            }
            copy.put(entry.getKey(), scalar(tensor));
        }
        return copy;
    }

    private static Object scalar(Tensor tensor) throws OrtException {
        return switch (tensor.type()) {
            case FLOAT -> tensor.floats()[0];
            case DOUBLE -> tensor.doubles()[0];
            case INT64 -> tensor.longs()[0];
            case STRING -> tensor.strings()[0];
            default -> throw Errors.notImplemented("The values of the map have the type " + tensor.type());
        };
    }

    @Override
    public MapInfo getInfo() {
        return info;
    }

    @Override
    public String toString() {
        return "ONNXMap(size=" + size() + ",info=" + info + ")";
    }

    @Override
    public synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void close() {
        closed = true;
        map.close();
    }

    /** Throws if this value is closed. */
    protected void checkClosed() {
        if (isClosed()) {
            throw new IllegalStateException("This OnnxMap is closed; read it before close()");
        }
    }

    /** The types of keys and values that ONNX Runtime numbers. */
    public enum OnnxMapValueType {
        INVALID(0),
        STRING(1),
        LONG(2),
        FLOAT(3),
        DOUBLE(4);

        private final int value;

        OnnxMapValueType(int value) {
            this.value = value;
        }

        /** Returns the type with this number, {@code INVALID} if there is none. */
        public static OnnxMapValueType mapFromInt(int input) {
            for (OnnxMapValueType type : values()) {
                if (type.value == input) {
                    return type;
                }
            }
            return INVALID;
        }

        /** Returns the type of a type of Java, {@code INVALID} if no map has it. */
        public static OnnxMapValueType mapFromOnnxJavaType(OnnxJavaType type) {
            return switch (type) {
                case FLOAT -> FLOAT;
                case DOUBLE -> DOUBLE;
                case INT64 -> LONG;
                case STRING -> STRING;
                default -> INVALID;
            };
        }
    }
}
