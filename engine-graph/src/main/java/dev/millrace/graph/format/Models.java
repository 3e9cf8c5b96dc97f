package dev.millrace.graph.format;

import com.google.protobuf.CodedOutputStream;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Model;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes ONNX models.
 *
 * <p>A model that was read keeps no copy of its large tensors: they are views of the file, which was read as a whole or
 * mapped, or of the memory that the caller gave. A mapped file may be replaced while a model of it is in use, but must
 * not be overwritten in place; memory must stay as it is.
 */
public final class Models {
    static final DataListener NOBODY = new DataListener() {};

    private static final int BUFFER = 1 << 16;

    private Models() {}

    /** Reads a file, which stays mapped. Its external data lies in its folder. */
    public static Model read(Path file) {
        return read(file, FileUse.MAP);
    }

    /** Reads a file. Its external data lies in its folder. */
    public static Model read(Path file, FileUse use) {
        return read(file, use, NOBODY);
    }

    /**
     * Reads a file. Its external data lies in its folder.
     *
     * @param data the listener that is told of each external data file and of the tensors in it
     */
    public static Model read(Path file, FileUse use, DataListener data) {
        return read(file, ExternalFiles.in(null), use, data);
    }

    /**
     * Reads a file.
     *
     * @param external where its external data lies
     * @param data hears of its external data
     */
    public static Model read(Path file, ExternalFiles external, FileUse use, DataListener data) {
        try {
            FileIdentity identity = FileIdentity.of(file);
            if (!identity.isFile()) {
                throw EngineException.invalidArgument(file + " is no file; name the .onnx file itself");
            }
            ExternalData found = external.folder() == null
                    ? ExternalData.besideModel(file, external, use, data)
                    : ExternalData.in(external, use, data);
            return new OnnxReader(found, file).read(FileMapping.content(identity, use));
        } catch (NoSuchFileException e) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no model file " + file, e);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "model file " + file + " cannot be read: " + e, e);
        } catch (EngineException e) {
            throw e.at(file.toString());
        }
    }

    /**
     * Returns the locations of external data that a model file names, without opening any of them. Each is a relative
     * path that stays in the model's folder.
     */
    public static Set<String> externalLocations(Path file) {
        try {
            Set<String> locations = FileMapping.use(file, ExternalLocations::of);
            for (String location : locations) {
                if (!ExternalData.isInside(location)) {
                    throw EngineException.invalidGraph(
                            "External data path escapes model directory: '" + location + "'");
                }
            }
            return locations;
        } catch (NoSuchFileException e) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no model file " + file, e);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "model file " + file + " cannot be read: " + e, e);
        } catch (EngineException e) {
            throw e.at(file.toString());
        }
    }

    /** Reads a model from memory; {@code folder} is where its external data lies, null where it has none. */
    public static Model read(MemorySegment bytes, @Nullable Path folder) {
        return read(bytes, folder, FileUse.MAP);
    }

    /** Reads a model from memory; {@code folder} is where its external data lies, null where it has none. */
    public static Model read(MemorySegment bytes, @Nullable Path folder, FileUse use) {
        return read(bytes, ExternalFiles.in(folder), use, NOBODY);
    }

    /**
     * Reads a model from memory.
     *
     * @param external where its external data lies; files on disk need a folder
     * @param data hears of its external data
     */
    public static Model read(MemorySegment bytes, ExternalFiles external, FileUse use, DataListener data) {
        return new OnnxReader(ExternalData.in(external, use, data), null).read(FileMapping.Content.of(bytes));
    }

    /** Reads a model from this very array; {@code folder} is where its external data lies, null where it has none. */
    public static Model read(byte[] bytes, @Nullable Path folder) {
        return read(MemorySegment.ofArray(bytes), folder);
    }

    /** Reads a model from what remains of a buffer; {@code folder} is where its external data lies, or null. */
    public static Model read(ByteBuffer bytes, @Nullable Path folder) {
        return read(MemorySegment.ofBuffer(bytes), folder);
    }

    /**
     * Writes {@code model} to a file, and its external data beside it where the options ask for that. Existing files
     * are replaced when all is written, the external data first.
     */
    public static void write(Model model, Path file, WriteOptions options) {
        try {
            Uninterrupted.get(() -> {
                writeAndPublish(model, file, options);
                return file;
            });
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "model file " + file + " cannot be written: " + e, e);
        } catch (EngineException e) {
            throw e.at("model " + file);
        }
    }

    /** Writes {@code model}, its tensors included, to a stream that stays open. */
    public static void write(Model model, OutputStream to) throws IOException {
        write(inline(model), to);
    }

    /**
     * Writes {@code model} to a stream that stays open.
     *
     * @param data the file to write where the options ask for external data; it must not exist yet
     */
    public static void write(Model model, OutputStream to, WriteOptions options, @Nullable Path data)
            throws IOException {
        var tensors = new TensorWriter(options);
        ModelImage image = OnnxWriter.write(model, tensors);
        if (data != null && tensors.usesExternalFile()) {
            tensors.writeExternalFile(data);
        }
        write(image, to);
    }

    /** Returns the bytes of {@code model}'s file, its tensors included. */
    public static byte[] toBytes(Model model) {
        return inline(model).toBytes();
    }

    private static ModelImage inline(Model model) {
        return OnnxWriter.write(model, new TensorWriter(WriteOptions.inline()));
    }

    private static void writeAndPublish(Model model, Path file, WriteOptions options) throws IOException {
        var tensors = new TensorWriter(options);
        ModelImage image = OnnxWriter.write(model, tensors);
        String mark = "." + UUID.randomUUID() + ".tmp";
        Path unfinished = file.resolveSibling(file.getFileName() + mark);
        Path unfinishedData = file.resolveSibling(file.getFileName() + ".data" + mark);
        try {
            try (OutputStream to = Files.newOutputStream(unfinished, StandardOpenOption.CREATE_NEW)) {
                write(image, to);
            }
            if (options.externalFile() != null && tensors.usesExternalFile()) {
                tensors.writeExternalFile(unfinishedData);
                MappedFile.check(model.mapped());
                publish(unfinishedData, file.resolveSibling(options.externalFile()));
            }
            MappedFile.check(model.mapped());
            publish(unfinished, file);
        } finally {
            Files.deleteIfExists(unfinished);
            Files.deleteIfExists(unfinishedData);
        }
    }

    private static void write(ModelImage image, OutputStream to) throws IOException {
        image.writeTo(CodedOutputStream.newInstance(to, BUFFER));
    }

    private static void publish(Path from, Path to) throws IOException {
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(from, to, StandardCopyOption.REPLACE_EXISTING);
        }
    }
}
