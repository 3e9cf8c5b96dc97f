package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Tensors, sequences, optionals and maps as ONNX writes them to files of their own, such as the {@code .pb} files
 * beside a test model. What is read refers to the bytes that it was read from.
 */
public final class Tensors {
    private static final ValueType ANY_TENSOR = ValueType.tensor(null, (SymbolicShape) null);

    private Tensors() {}

    public static Tensor readTensor(MemorySegment bytes) {
        return (Tensor) readDatum(bytes, ANY_TENSOR);
    }

    public static TensorSequence readSequence(MemorySegment bytes) {
        return (TensorSequence) readDatum(bytes, new ValueType.SequenceType(ANY_TENSOR));
    }

    public static OptionalDatum readOptional(MemorySegment bytes) {
        return (OptionalDatum) readDatum(bytes, new ValueType.OptionalType(ANY_TENSOR));
    }

    /** Reads what a value of {@code type} was written as; the bytes themselves do not say what they are. */
    public static Datum readDatum(MemorySegment bytes, ValueType type) {
        return new DatumReader(ExternalData.inFolder(null, FileUse.READ, Models.NOBODY))
                .read(WireReader.of(bytes), type);
    }

    /** Reads a file that holds a value of {@code type}. */
    public static Datum readDatum(Path file, ValueType type) {
        if (!Files.isRegularFile(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no file " + file);
        }
        try {
            return new DatumReader(ExternalData.besideModel(file, FileUse.READ, Models.NOBODY))
                    .read(WireReader.of(FileMapping.read(file)), type);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "file " + file + " cannot be read: " + e, e);
        } catch (EngineException e) {
            throw e.at("file " + file);
        }
    }

    /** Writes {@code datum} under {@code name}, which may be empty; the stream stays open. */
    public static void write(String name, Datum datum, OutputStream to) throws IOException {
        new DatumWriter().write(name, datum).writeTo(to);
    }

    public static byte[] toBytes(String name, Datum datum) {
        return new DatumWriter().write(name, datum).toByteArray();
    }
}
