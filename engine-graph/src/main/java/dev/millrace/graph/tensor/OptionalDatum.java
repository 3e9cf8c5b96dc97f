package dev.millrace.graph.tensor;

import org.jspecify.annotations.Nullable;

/** An ONNX optional: a datum or nothing. */
public record OptionalDatum(@Nullable Datum value) implements Datum {
    public static final OptionalDatum EMPTY = new OptionalDatum(null);

    public boolean isPresent() {
        return value != null;
    }

    @Override
    public void close() {
        if (value != null) {
            value.close();
        }
    }
}
