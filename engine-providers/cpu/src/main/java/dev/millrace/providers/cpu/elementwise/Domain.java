package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;

/** The Java type in which elements are computed. */
public enum Domain {
    /** Floating types of 32 bits and fewer. */
    FLOAT,
    DOUBLE,
    /** Integers and booleans. */
    LONG;

    public static Domain of(ElementType type) {
        if (type.isFloating()) {
            return type == ElementType.DOUBLE ? DOUBLE : FLOAT;
        }
        if (type.isInteger() || type == ElementType.BOOL) {
            return LONG;
        }
        throw EngineException.notImplemented("arithmetic on elements of type " + type);
    }
}
