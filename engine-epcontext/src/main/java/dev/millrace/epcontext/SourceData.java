package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.CheckedWeights;
import dev.millrace.epcontext.binary.Chunks;
import dev.millrace.epcontext.binary.ContextTables.SegmentEntry;
import dev.millrace.epcontext.binary.Initializers;
import dev.millrace.epcontext.binary.SourcePlace;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.ExternalData;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loads the weights that the context binaries of one session name, from files of external data or from the source
 * model itself. Nothing is read before it is asked for. A weight that the source lacks, or that has changed since
 * the binary was written, is refused.
 */
final class SourceData {
    private static final DataListener NOBODY = new DataListener() {};

    private final EpContextOptions options;
    private final @Nullable Path location;
    private final @Nullable Path dataFolder;
    private final FileUse use;
    private final CheckedWeights checked;
    /** The opened files of external data, by the context nodes' names for the source model. */
    private final Map<String, ExternalData> files = new HashMap<>();

    private final Map<String, Map<String, List<Tensor>>> models = new HashMap<>();

    /**
     * @param location the context model's file, or another in its folder; null if there is none
     * @param dataFolder the folder of external data, or null for that of the source model
     */
    SourceData(
            EpContextOptions options,
            @Nullable Path location,
            @Nullable Path dataFolder,
            FileUse use,
            CheckedWeights checked) {
        this.options = options;
        this.location = location;
        this.dataFolder = dataFolder;
        this.use = use;
        this.checked = checked;
    }

    /**
     * Returns the memory of a segment that a binary names.
     *
     * @param model the context node's name for its source model; empty if it has none
     */
    MemorySegment find(SegmentEntry segment, SourcePlace place, String model) {
        try {
            return place.isExternal() ? external(segment, place, model) : inside(segment, place, model);
        } catch (EngineException e) {
            throw e.status() == Status.INVALID_GRAPH
                    ? e
                    : new EngineException(Status.INVALID_GRAPH, String.valueOf(e.getMessage()), e);
        } catch (IOException e) {
            throw new EngineException(Status.INVALID_GRAPH, "the source's " + place + " cannot be read: " + e, e);
        }
    }

    private MemorySegment external(SegmentEntry segment, SourcePlace place, String model) throws IOException {
        ExternalData data = files.get(model);
        if (data == null) {
            data = data(model);
            files.put(model, data);
        }
        MemorySegment bytes = data.slice(place.file(), place.offset(), segment.length());
        check(bytes, segment, place, folder(model).resolve(place.file()));
        return bytes;
    }

    private ExternalData data(String model) throws IOException {
        Path file = dataFolder == null ? sourceOrBeside(model) : null;
        return file != null && Files.exists(file)
                ? ExternalData.besideModel(file, use, NOBODY)
                : ExternalData.inFolder(folder(model), use, NOBODY);
    }

    private Path folder(String model) {
        Path file = dataFolder == null ? sourceOrBeside(model) : dataFolder.resolve("model");
        Path folder = file == null ? null : file.toAbsolutePath().getParent();
        if (folder == null) {
            throw EngineException.invalidGraph("its weights lie in external data of its source, and the model was read"
                    + " from memory; name their folder with session.model_external_initializers_file_folder_path"
                    + " (SessionOptions.externalDataFolder)");
        }
        return folder;
    }

    /** Returns the source model's file, or another in the folder where it would be; null if neither is known. */
    private @Nullable Path sourceOrBeside(String model) {
        Path named = options.sourceModel();
        if (named != null || location == null || model.isEmpty()) {
            return named == null ? location : named;
        }
        try {
            return ContextPath.locate(ContextPath.SOURCE_MODEL, model, location);
        } catch (EngineException _) {
            // the files of external data may exist all the same
            return location;
        }
    }

    private MemorySegment inside(SegmentEntry segment, SourcePlace place, String model) {
        Map<String, List<Tensor>> known = models.get(model);
        if (known == null) {
            known = read(model);
            models.put(model, known);
        }
        List<MemorySegment> candidates = known.getOrDefault(place.initializer(), List.of()).stream()
                .map(Tensor::segment)
                .filter(each -> each.byteSize() == segment.length())
                .toList();
        if (candidates.isEmpty()) {
            throw EngineException.invalidGraph("its source " + called(model) + " has no " + place + " of "
                    + segment.length() + " bytes; compile it again");
        }
        if (candidates.size() == 1) {
            check(candidates.getFirst(), segment, place, options.sourceBytes() == null ? source(model) : null);
            return candidates.getFirst();
        }
        return candidates.stream()
                .filter(each -> isSame(each, segment))
                .findFirst()
                .orElseThrow(() -> changed(place));
    }

    private static String called(String model) {
        return model.isEmpty() ? "model" : "model '" + model + "'";
    }

    private Map<String, List<Tensor>> read(String model) {
        MemorySegment bytes = options.sourceBytes();
        return Initializers.of(bytes == null ? Models.read(source(model), use) : Models.read(bytes, dataFolder, use));
    }

    private Path source(String model) {
        Path named = options.sourceModel();
        if (named != null) {
            return named;
        }
        if (model.isEmpty() || location == null) {
            throw EngineException.invalidGraph("its weights stand in its source " + called(model)
                    + ", and it is not known where that is; name it with ep.context_source_model_path"
                    + " (EpContextOptions.sourceModel), or give its bytes (EpContextOptions.sourceBytes)");
        }
        return ContextPath.locate(ContextPath.SOURCE_MODEL, model, location);
    }

    private void check(MemorySegment bytes, SegmentEntry segment, SourcePlace place, @Nullable Path file) {
        if (options.verification() != Verification.NEVER) {
            checked.once(file, place, segment.digest(), () -> {
                if (!isSame(bytes, segment)) {
                    throw changed(place);
                }
            });
        }
    }

    /** Compares content by digest; pages of a file that were read for that are released. */
    private static boolean isSame(MemorySegment bytes, SegmentEntry segment) {
        boolean same = HexFormat.of().formatHex(Chunks.sha256(bytes)).equals(segment.digest());
        if (bytes.isMapped()) {
            bytes.unload();
        }
        return same;
    }

    private static EngineException changed(SourcePlace place) {
        return EngineException.invalidGraph(
                "the source has changed since it was compiled: its " + place + " has another digest; compile it again");
    }
}
