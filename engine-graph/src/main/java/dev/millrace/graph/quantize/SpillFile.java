package dev.millrace.graph.quantize;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A temporary file that takes large tensors, which are mapped from then on: of a model larger than the memory, only the
 * tensor that is being made is in memory. Tensors must not be read after the file is closed.
 */
final class SpillFile implements TensorStore, AutoCloseable {
    private static final long SMALL = 1 << 16;
    private static final long ALIGNMENT = 64;
    private static final int CHUNK = 1 << 23;

    private final Path file;
    private final FileChannel channel;
    private final Arena mappings = Arena.ofShared();
    private long end;

    /** Creates the file; its folder is that of the model, which has room for it. */
    SpillFile(Path file) throws IOException {
        this.file = file;
        this.channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE);
    }

    @Override
    public Tensor allocate(ElementType type, Shape shape) {
        long bytes = type.bytes(shape.elements());
        if (bytes < SMALL) {
            return Tensor.allocate(type, shape);
        }
        Arena arena = Arena.ofShared();
        return Tensor.owning(type, shape, arena.allocate(bytes, ALIGNMENT), arena::close);
    }

    @Override
    public Tensor keep(Tensor made) {
        MemorySegment bytes = made.segment();
        if (bytes.byteSize() < SMALL) {
            return made;
        }
        try {
            long start = Math.ceilDiv(end, ALIGNMENT) * ALIGNMENT;
            end = start + bytes.byteSize();
            for (long from = 0; from < bytes.byteSize(); from += CHUNK) {
                ByteBuffer part = bytes.asSlice(from, Math.min(CHUNK, bytes.byteSize() - from))
                        .asByteBuffer();
                for (long at = start + from; part.hasRemaining(); ) {
                    at += channel.write(part, at);
                }
            }
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_ONLY, start, bytes.byteSize(), mappings);
            return Tensor.wrap(made.type(), made.shape(), mapped);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "temporary file " + file + " cannot be written: " + e, e);
        } finally {
            made.close();
        }
    }

    @Override
    public void close() throws IOException {
        mappings.close();
        channel.close();
    }
}
