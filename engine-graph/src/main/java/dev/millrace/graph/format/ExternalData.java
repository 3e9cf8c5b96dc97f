package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files that hold the large tensors of a model, each read or mapped once, or given by the caller. A location is a relative path that
 * stays inside the model's folder, also after symbolic links were followed; where the model file itself is a link, the
 * folder of the file that it leads to counts as its folder too. Not thread-safe.
 */
public final class ExternalData {
    private final @Nullable Path folder;
    private final Map<String, MemorySegment> inMemory;
    private final Map<String, Tensor> tensors;
    private final @Nullable Path model;
    private final FileUse use;
    private final DataListener listener;
    private final Map<String, MemorySegment> byLocation = new HashMap<>();
    private final Map<Path, MemorySegment> byFile = new HashMap<>();
    private final List<MappedFile> mapped = new ArrayList<>();

    private ExternalData(
            ExternalFiles files, @Nullable Path folder, @Nullable Path model, FileUse use, DataListener listener) {
        this.folder = folder;
        this.inMemory = files.inMemory();
        this.tensors = files.tensors();
        this.model = model;
        this.use = use;
        this.listener = listener;
    }

    /** Returns the data that lies in {@code folder}; with null, the model was read from memory and can have none. */
    public static ExternalData inFolder(@Nullable Path folder, FileUse use, DataListener listener) {
        return in(ExternalFiles.in(folder), use, listener);
    }

    /** Returns the data that lies in such files; those on disk need a folder. */
    static ExternalData in(ExternalFiles files, FileUse use, DataListener listener) {
        return new ExternalData(files, files.folder(), null, use, listener);
    }

    /** Returns the external data of a model file, which lies in the folder of that file. */
    public static ExternalData besideModel(Path file, FileUse use, DataListener listener) throws IOException {
        return besideModel(file, ExternalFiles.in(null), use, listener);
    }

    /** Returns the external data of a model file, in its folder and in memory. */
    static ExternalData besideModel(Path file, ExternalFiles files, FileUse use, DataListener listener)
            throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null) {
            throw new IOException(file + " is in no folder");
        }
        return new ExternalData(files, folder, file, use, listener);
    }

    /** Returns the tensor that takes the place of one in a file; null if the file has it. */
    @Nullable
    Tensor tensor(String name) {
        return tensors.get(name);
    }

    /** Returns {@code length} bytes at {@code offset} of the file at {@code location}. */
    public MemorySegment slice(String location, long offset, long length) {
        MemorySegment file = byLocation.get(location);
        if (file == null) {
            file = inMemory.get(location);
            if (file == null) {
                Path named = locate(location);
                Path real = confined(named, location);
                listener.opened(named);
                file = byFile.computeIfAbsent(real, this::content);
            }
            byLocation.put(location, file);
        }
        if (offset < 0 || length < 0 || length > file.byteSize() || offset > file.byteSize() - length) {
            throw EngineException.invalidGraph("External data file '" + location + "' has " + file.byteSize()
                    + " bytes; " + length + " bytes at offset " + offset + " lie outside of it");
        }
        MemorySegment bytes = file.asSlice(offset, length);
        listener.placed(bytes, new DataPlace(location, offset, length));
        return bytes;
    }

    /** The files that are mapped and watched by {@link dev.millrace.memory.MappingGuard}. */
    List<MappedFile> mapped() {
        return mapped;
    }

    private MemorySegment content(Path file) {
        try {
            FileMapping.Content content = FileMapping.content(file, use);
            mapped.addAll(content.watched());
            return content.bytes();
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "External data file " + file + " cannot be read: " + e, e);
        }
    }

    private Path locate(String location) {
        if (location.isEmpty()) {
            throw EngineException.invalidGraph("Empty external data path not allowed");
        }
        if (isAbsolute(location)) {
            throw EngineException.invalidGraph("Absolute path not allowed for external data location: '" + location
                    + "'; it is relative to the model's folder");
        }
        if (climbsOut(location)) {
            throw escape(location);
        }
        if (folder == null) {
            throw EngineException.invalidGraph("the tensor lies in external data file '" + location
                    + "', but the model was read from memory; name the folder of its external data, or give"
                    + " its content");
        }
        Path file;
        try {
            file = folder.resolve(location);
        } catch (InvalidPathException e) {
            throw EngineException.invalidGraph("External data location '" + location + "' is no path");
        }
        if (!Files.exists(file)) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "External data file " + file + " does not exist; "
                            + (model == null
                                    ? "its folder is the one that the options name"
                                    : "keep it beside the model, or name its folder"));
        }
        return file;
    }

    private Path confined(Path file, String location) {
        try {
            return confine(file.toRealPath(), location);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "External data file " + file + " cannot be resolved: " + e, e);
        }
    }

    private Path confine(Path real, String location) throws IOException {
        if (!isIn(folder, real)
                && !isIn(model == null ? null : model.toRealPath().getParent(), real)) {
            throw escape(location);
        }
        if (!Files.isRegularFile(real)) {
            throw EngineException.invalidGraph("External data location '" + location + "' is no file");
        }
        return real;
    }

    private static boolean isIn(@Nullable Path place, Path real) throws IOException {
        return place != null && real.startsWith(place.toRealPath());
    }

    /** Whether models may name such a place: a relative path that stays in their folder. */
    static boolean isInside(String location) {
        return !location.isEmpty() && !isAbsolute(location) && !climbsOut(location);
    }

    /** Whether a location is absolute on any operating system: a model names the same file everywhere. */
    private static boolean isAbsolute(String location) {
        char first = location.charAt(0);
        boolean drive = location.length() > 1 && location.charAt(1) == ':' && Character.isLetter(first);
        return first == '/' || first == '\\' || drive;
    }

    private static boolean climbsOut(String location) {
        int depth = 0;
        for (String part : location.replace('\\', '/').split("/", -1)) {
            depth += switch (part) {
                case "", "." -> 0;
                case ".." -> -1;
                default -> 1;
            };
            if (depth < 0) {
                return true;
            }
        }
        return false;
    }

    private static EngineException escape(String location) {
        return EngineException.invalidGraph("External data path escapes model directory: '" + location + "'");
    }
}
