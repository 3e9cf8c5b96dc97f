package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.OtherThread;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files of a model's external data.
 *
 * @param folder the folder of those on disk; null for the folder of the model's own file
 * @param inMemory the contents of those in memory, by the locations that the model has for them. They come before files, and
 *     the memory stays open and unchanged as long as the model is in use
 * @param tensors the initializers that take the place of those of the same names in files, which are not read for them
 */
public record ExternalFiles(@Nullable Path folder, Map<String, MemorySegment> inMemory, Map<String, Tensor> tensors) {
    public ExternalFiles {
        inMemory = checked(inMemory);
        tensors = Map.copyOf(tensors);
    }

    /** Creates files that have all of the external data. */
    public ExternalFiles(@Nullable Path folder, Map<String, MemorySegment> inMemory) {
        this(folder, inMemory, Map.of());
    }

    /** Returns these files with initializers that take the place of some in them. */
    public ExternalFiles with(Map<String, Tensor> initializers) {
        return new ExternalFiles(folder, inMemory, initializers);
    }

    /** Returns files that are all on disk. */
    public static ExternalFiles in(@Nullable Path folder) {
        return new ExternalFiles(folder, Map.of());
    }

    /** Returns a copy with read-only contents; refuses locations that no model can have. */
    public static Map<String, MemorySegment> checked(Map<String, MemorySegment> inMemory) {
        var checked = new TreeMap<String, MemorySegment>();
        inMemory.forEach((location, content) -> {
            if (!ExternalData.isInside(location)) {
                throw EngineException.invalidArgument("no model can have external data in '" + location
                        + "': a location is a relative path below the model's folder");
            }
            if (!OtherThread.mayRead(content)) {
                throw EngineException.invalidArgument("the external data '" + location
                        + "' is in memory that only its own thread may read; use a shared or an automatic arena");
            }
            checked.put(location, content.asReadOnly());
        });
        return Map.copyOf(checked);
    }
}
