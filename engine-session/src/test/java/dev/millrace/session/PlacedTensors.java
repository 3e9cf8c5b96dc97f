package dev.millrace.session;

import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A placement that appends initializers from a size in bytes on to one file, behind a header; the others stay inside.
 */
final class PlacedTensors implements InitializerPlacement {
    static final long HEADER = 128;

    private final Path file;
    private final long atLeast;
    private final Map<String, DataPlace> places = new LinkedHashMap<>();

    PlacedTensors(Path file, long atLeast) throws IOException {
        this.file = Files.write(file, new byte[(int) HEADER]);
        this.atLeast = atLeast;
    }

    @Override
    public @Nullable DataPlace place(String name, Tensor tensor, @Nullable DataPlace original) throws IOException {
        byte[] bytes = tensor.segment().toArray(ValueLayout.JAVA_BYTE);
        if (bytes.length < atLeast) {
            return null;
        }
        var place = new DataPlace(file.getFileName().toString(), Files.size(file), bytes.length);
        Files.write(file, bytes, StandardOpenOption.APPEND);
        places.put(name, place);
        return place;
    }

    /** Returns the places of the initializers that were moved out. */
    Map<String, DataPlace> places() {
        return places;
    }

    /** Returns the places of a model's initializers in its external data. */
    static List<DataPlace> read(Path model) {
        var read = new ArrayList<DataPlace>();
        Models.read(model, FileUse.READ, new DataListener() {
            @Override
            public void placed(MemorySegment bytes, DataPlace place) {
                read.add(place);
            }
        });
        return read;
    }
}
