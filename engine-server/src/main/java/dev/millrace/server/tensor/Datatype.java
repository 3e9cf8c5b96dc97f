package dev.millrace.server.tensor;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.protocol.DataType;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The protocol's element types by their names, those of configurations and those of the engine. */
public enum Datatype {
    BOOL(ElementType.BOOL, DataType.TYPE_BOOL),
    UINT8(ElementType.UINT8, DataType.TYPE_UINT8),
    UINT16(ElementType.UINT16, DataType.TYPE_UINT16),
    UINT32(ElementType.UINT32, DataType.TYPE_UINT32),
    UINT64(ElementType.UINT64, DataType.TYPE_UINT64),
    INT8(ElementType.INT8, DataType.TYPE_INT8),
    INT16(ElementType.INT16, DataType.TYPE_INT16),
    INT32(ElementType.INT32, DataType.TYPE_INT32),
    INT64(ElementType.INT64, DataType.TYPE_INT64),
    FP16(ElementType.FLOAT16, DataType.TYPE_FP16),
    FP32(ElementType.FLOAT, DataType.TYPE_FP32),
    FP64(ElementType.DOUBLE, DataType.TYPE_FP64),
    BYTES(ElementType.STRING, DataType.TYPE_STRING),
    BF16(ElementType.BFLOAT16, DataType.TYPE_BF16);

    private final ElementType element;
    private final DataType configured;

    Datatype(ElementType element, DataType configured) {
        this.element = element;
        this.configured = configured;
    }

    public ElementType element() {
        return element;
    }

    /** The name in configurations. */
    public DataType configured() {
        return configured;
    }

    /** Returns the datatype of this name in requests. */
    public static Datatype named(String name) {
        for (Datatype each : values()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        throw EngineException.invalidArgument(
                "there is no datatype '" + name + "'; there are " + Arrays.toString(values()));
    }

    /** Returns the datatype of an element type, or null for one that the protocol does not have. */
    public static @Nullable Datatype of(@Nullable ElementType element) {
        for (Datatype each : values()) {
            if (each.element == element) {
                return each;
            }
        }
        return null;
    }

    /** Returns the datatype of an element type; refuses one that the protocol does not have. */
    public static Datatype require(ElementType element, String place) {
        Datatype found = of(element);
        if (found == null) {
            throw EngineException.notImplemented(
                    place + " has elements of type " + element + ", for which the protocol has no datatype");
        }
        return found;
    }

    /** Returns the datatype that a configuration names, or null for none. */
    public static @Nullable Datatype of(DataType configured) {
        for (Datatype each : values()) {
            if (each.configured == configured) {
                return each;
            }
        }
        return null;
    }
}
