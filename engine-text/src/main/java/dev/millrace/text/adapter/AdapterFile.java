package dev.millrace.text.adapter;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Reads files of adapters: those of ONNX Runtime, which are flatbuffers, and safetensors. */
public final class AdapterFile {
    private static final int SMALLEST = 16;

    private AdapterFile() {}

    /** Returns the tensors of a file by their names. They are copies, and the file may change later. */
    public static Map<String, Tensor> read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no such file");
        }
        try (FileChannel channel = FileChannel.open(file);
                Arena arena = Arena.ofConfined()) {
            if (channel.size() < SMALLEST) {
                throw EngineException.invalidArgument(
                        "the file has " + channel.size() + " bytes, too few for an adapter");
            }
            MemorySegment content = channel.map(MapMode.READ_ONLY, 0, channel.size(), arena);
            return FlatAdapter.isOne(content) ? FlatAdapter.tensors(content) : SafeTensors.tensors(content);
        } catch (IndexOutOfBoundsException e) {
            throw new EngineException(Status.INVALID_ARGUMENT, "the file is damaged: it names places outside of it", e);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "the file cannot be read: " + e, e);
        }
    }

    /** Adds a tensor. Tensors of one name, and tensors that share bytes of the file, are refused. */
    static void put(Map<String, Tensor> tensors, String name, Tensor tensor, long fileBytes) {
        long all = tensor.segment().byteSize();
        for (Tensor other : tensors.values()) {
            all += other.segment().byteSize();
        }
        if (all > fileBytes || tensors.put(name, tensor) != null) {
            throw EngineException.invalidArgument("the file is damaged: tensor '" + name + "' overlaps others");
        }
    }

    /** Returns a copy of a tensor's bytes, whose number fits its shape. */
    static Tensor tensor(String name, ElementType type, long[] dims, MemorySegment bytes) {
        try {
            Shape shape = Shape.of(dims);
            if (type == ElementType.STRING || type.bytes(shape.elements()) != bytes.byteSize()) {
                throw EngineException.invalidArgument(
                        "a tensor of " + type + ", shape " + shape + ", does not have " + bytes.byteSize() + " bytes");
            }
            Tensor tensor = Tensor.allocate(type, shape);
            MemorySegment.copy(bytes, 0, tensor.segment(), 0, bytes.byteSize());
            return tensor;
        } catch (EngineException e) {
            throw e.at("tensor '" + name + "'");
        }
    }
}
