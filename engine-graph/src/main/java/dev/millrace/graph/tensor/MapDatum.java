package dev.millrace.graph.tensor;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** An ONNX map: keys are {@code Long} or {@code String}, values are data. Immutable, in insertion order. */
public record MapDatum(ElementType keyType, Map<Object, Datum> entries) implements Datum {
    public MapDatum {
        entries = Collections.unmodifiableMap(new LinkedHashMap<>(entries));
    }

    @Override
    public void close() {
        entries.values().forEach(Datum::close);
    }
}
