package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/** Deep copies of data. */
final class Data {
    private Data() {}

    static Datum copyOf(Datum datum) {
        return switch (datum) {
            case Tensor tensor -> Tensor.copyOf(tensor);
            case TensorSequence sequence ->
                new TensorSequence(sequence.elements().stream().map(Data::copyOf).toList());
            case OptionalDatum optional -> copyOf(optional);
            case MapDatum map -> {
                var copy = new LinkedHashMap<Object, Datum>();
                map.entries().forEach((key, value) -> copy.put(key, copyOf(value)));
                yield new MapDatum(map.keyType(), copy);
            }
        };
    }

    private static Datum copyOf(OptionalDatum optional) {
        @Nullable Datum value = optional.value();
        return value == null ? OptionalDatum.EMPTY : new OptionalDatum(copyOf(value));
    }
}
