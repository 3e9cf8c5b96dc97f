package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.Initializers;
import dev.millrace.epcontext.binary.SourcePlace;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.WeightlessMode;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The weights of a source model that its context binaries name rather than hold. They are identified by their memory,
 * which is that of the file they were read from. External data is registered while the model is read; the model itself
 * is {@link #add added} before anything changes it.
 */
public final class SourceInitializers implements DataListener {
    private final WeightlessMode mode;
    private final Map<MemorySegment, DataPlace> external = new HashMap<>();
    private final Map<MemorySegment, Known> named = new HashMap<>();

    private record Known(SourcePlace place, long bytes) {}

    public SourceInitializers(WeightlessMode mode) {
        this.mode = mode;
    }

    /** Returns an instance for a model whose binaries hold all of its weights. */
    public static SourceInitializers none() {
        return new SourceInitializers(WeightlessMode.NONE);
    }

    public WeightlessMode mode() {
        return mode;
    }

    @Override
    public void placed(MemorySegment bytes, DataPlace place) {
        if (mode != WeightlessMode.NONE) {
            external.put(bytes, place);
        }
    }

    /** Registers the names of a model's weights. */
    public void add(Model model) {
        if (mode != WeightlessMode.NONE) {
            Initializers.of(model).forEach((name, tensors) -> tensors.forEach(tensor -> add(name, tensor)));
        }
    }

    private void add(String name, Tensor tensor) {
        DataPlace place = external.get(tensor.segment());
        if (place != null && place.length() == tensor.segment().byteSize()) {
            put(tensor, new SourcePlace(name, place.location(), place.offset()));
        } else if (mode == WeightlessMode.ALL) {
            put(tensor, new SourcePlace(name, "", 0));
        }
    }

    private void put(Tensor tensor, SourcePlace place) {
        named.putIfAbsent(tensor.segment(), new Known(place, tensor.segment().byteSize()));
    }

    /** Returns the place in the source of the weight in this memory, or null if the binary has to hold it. */
    @Nullable
    SourcePlace find(MemorySegment data) {
        Known known = named.get(data);
        return known != null && known.bytes == data.byteSize() ? known.place : null;
    }

    /**
     * Returns the places of the weights that no provider compiled: external data stays where it is, if the context
     * model is written beside it and its options ask for nothing else.
     */
    WriteOptions tensors(Model source, ContextOutput output) {
        WriteOptions asked = output.tensors();
        Path from = source.source();
        Path to = output.model();
        boolean stay = mode != WeightlessMode.NONE
                && asked.externalFile() == null
                && asked.placement() == null
                && from != null
                && to != null
                && Objects.equals(from.toAbsolutePath().getParent(), to.getParent());
        return stay ? WriteOptions.placed((_, tensor) -> placeOf(tensor)) : asked;
    }

    private @Nullable DataPlace placeOf(Tensor tensor) {
        SourcePlace place = Initializers.hasBytes(tensor) ? find(tensor.segment()) : null;
        return place == null || !place.isExternal()
                ? null
                : new DataPlace(place.file(), place.offset(), tensor.segment().byteSize());
    }
}
