package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.scheduler.Cancellation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Copies data, and holds tensors in it. */
final class Data {
    private Data() {}

    /** @param cancellation is checked between tensors, of which sequences may have millions */
    static Datum copyOf(Datum datum, Cancellation cancellation) {
        return deepCopy(datum, tensor -> null, cancellation);
    }

    /**
     * Returns the datum in memory of its own. Each tensor is replaced by the result of {@code handOver}, or by a copy
     * where that is null.
     *
     * @param cancellation is checked between tensors, of which sequences may have millions
     */
    static Datum deepCopy(Datum datum, Function<Tensor, @Nullable Tensor> handOver, Cancellation cancellation) {
        if (datum instanceof Tensor tensor) {
            Tensor handedOver = handOver.apply(tensor);
            return handedOver == null ? Tensor.copyOf(tensor) : handedOver;
        }
        return eachTensor(datum, inner -> {
            cancellation.check();
            return deepCopy(inner, handOver, cancellation);
        });
    }

    /**
     * Holds all tensors of the datum for a run and adds them to {@code holds}. The memory of the returned datum stays
     * valid until they are let go.
     */
    static Datum held(Datum datum, List<Tensor> holds) {
        if (datum instanceof Tensor tensor) {
            Tensor readable = tensor.retain();
            holds.add(tensor);
            return readable;
        }
        return eachTensor(datum, inner -> held(inner, holds));
    }

    /**
     * Returns the datum with each directly contained datum, or the tensor itself, replaced by the result of {@code
     * change}.
     */
    private static Datum eachTensor(Datum datum, UnaryOperator<Datum> change) {
        return switch (datum) {
            case Tensor tensor -> change.apply(tensor);
            case TensorSequence sequence ->
                new TensorSequence(sequence.elements().stream().map(change).toList());
            case OptionalDatum optional ->
                optional.value() == null ? optional : new OptionalDatum(change.apply(optional.value()));
            case MapDatum map -> {
                var same = new LinkedHashMap<Object, Datum>();
                map.entries().forEach((key, value) -> same.put(key, change.apply(value)));
                yield new MapDatum(map.keyType(), same);
            }
        };
    }

    /** Returns the datum with a copy in place of each of these tensors, at any depth. */
    static Datum without(Set<Datum> views, Datum datum) {
        if (views.isEmpty()) {
            return datum;
        }
        if (datum instanceof Tensor tensor) {
            return views.contains(tensor) ? Tensor.copyOf(tensor) : tensor;
        }
        return eachTensor(datum, inner -> without(views, inner));
    }
}
