package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Copies of data. */
final class Data {
    private Data() {}

    static Datum copyOf(Datum datum) {
        return switch (datum) {
            case Tensor tensor -> Tensor.copyOf(tensor);
            case TensorSequence sequence ->
                new TensorSequence(
                        sequence.elements().stream().map(Data::copyOf).toList());
            case OptionalDatum optional -> copyOf(optional);
            case MapDatum map -> {
                var copy = new LinkedHashMap<Object, Datum>();
                map.entries().forEach((key, value) -> copy.put(key, copyOf(value)));
                yield new MapDatum(map.keyType(), copy);
            }
        };
    }

    /**
     * The same datum to read during a run, whose memory stays as it is while the tensors that are added to {@code holds}
     * are held.
     */
    static Datum held(Datum datum, List<Tensor> holds) {
        return switch (datum) {
            case Tensor tensor -> {
                Tensor readable = tensor.hold();
                holds.add(tensor);
                yield readable;
            }
            case TensorSequence sequence ->
                new TensorSequence(sequence.elements().stream()
                        .map(element -> held(element, holds))
                        .toList());
            case OptionalDatum optional ->
                optional.value() == null ? optional : new OptionalDatum(held(optional.value(), holds));
            case MapDatum map -> {
                var same = new LinkedHashMap<Object, Datum>();
                map.entries().forEach((key, value) -> same.put(key, held(value, holds)));
                yield new MapDatum(map.keyType(), same);
            }
        };
    }

    /** The same datum, with a copy in place of each of these tensors, however deep it stands. */
    static Datum without(Set<Datum> views, Datum datum) {
        if (views.isEmpty()) {
            return datum;
        }
        return switch (datum) {
            case Tensor tensor -> views.contains(tensor) ? Tensor.copyOf(tensor) : tensor;
            case TensorSequence sequence ->
                new TensorSequence(sequence.elements().stream()
                        .map(element -> without(views, element))
                        .toList());
            case OptionalDatum optional ->
                optional.value() == null ? optional : new OptionalDatum(without(views, optional.value()));
            case MapDatum map -> {
                var same = new LinkedHashMap<Object, Datum>();
                map.entries().forEach((key, value) -> same.put(key, without(views, value)));
                yield new MapDatum(map.keyType(), same);
            }
        };
    }

    private static Datum copyOf(OptionalDatum optional) {
        @Nullable Datum value = optional.value();
        return value == null ? OptionalDatum.EMPTY : new OptionalDatum(copyOf(value));
    }
}
