package dev.millrace.epcontext.binary;

import static dev.millrace.graph.tensor.ByteLayouts.BYTE;

import dev.millrace.epcontext.binary.ContextTables.GraphEntry;
import dev.millrace.epcontext.binary.ContextTables.SegmentEntry;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The layout of a context binary, with the place of every byte, ready to be written to a file or to memory. */
public final class ContextImage implements BinaryImage {
    /** The size from which segments are likely to be touched page by page, so that they start on a page. */
    private static final long LARGE = 1 << 16;

    private static final long PAGE = 4096;

    /** A graph as its provider added it. */
    public record GraphPart(String partition, MemorySegment plan, List<Integer> segments) {}

    /**
     * A segment as its provider added it, and its digest.
     *
     * @param named its place in the source, or null if the binary holds it
     */
    public record SegmentPart(
            MemorySegment data, String digest, @Nullable SourcePlace named) {}

    /** A block of bytes and its offset. */
    private record Piece(long offset, MemorySegment data) {}

    private final List<Piece> pieces = new ArrayList<>();
    private final long byteSize;
    private final ContextTables tables;
    private @Nullable MemorySegment front;

    public ContextImage(String source, List<GraphPart> graphs, List<SegmentPart> segments) {
        List<String> digests =
                graphs.stream().map(graph -> ContextTables.sha256(graph.plan)).toList();
        long end = tables(source, graphs, digests, segments, new long[graphs.size()], new long[segments.size()])
                .byteSize();
        long[] plans = new long[graphs.size()];
        for (int i = 0; i < plans.length; i++) {
            plans[i] = align(end, ContextTables.ALIGNMENT);
            MemorySegment plan = graphs.get(i).plan;
            pieces.add(new Piece(plans[i], plan));
            end = plans[i] + plan.byteSize();
        }
        long[] blocks = new long[segments.size()];
        for (int i = 0; i < blocks.length; i++) {
            MemorySegment data = segments.get(i).data;
            if (segments.get(i).named != null) {
                continue;
            }
            blocks[i] = align(end, data.byteSize() >= LARGE ? PAGE : ContextTables.ALIGNMENT);
            pieces.add(new Piece(blocks[i], data));
            end = blocks[i] + data.byteSize();
        }
        byteSize = end;
        tables = tables(source, graphs, digests, segments, plans, blocks);
    }

    /** Returns the header and tables. They include a checksum of everything behind them, which is read for that. */
    private MemorySegment front() {
        if (front == null) {
            front = MemorySegment.ofArray(tables.withContentChecksum(checksum()).encode(byteSize));
        }
        return front;
    }

    /** Returns the CRC-32C of the pieces, and of the zeros before each. */
    private int checksum() {
        var crc = new CRC32C();
        long at = tables.byteSize();
        for (Piece piece : pieces) {
            crc.update(new byte[(int) (piece.offset - at)]);
            Chunks.scan(piece.data, (chunk, count) -> crc.update(chunk, 0, count));
            at = piece.offset + piece.data.byteSize();
        }
        return (int) crc.getValue();
    }

    private static ContextTables tables(
            String source,
            List<GraphPart> graphs,
            List<String> digests,
            List<SegmentPart> segments,
            long[] plans,
            long[] blocks) {
        var graphEntries = new ArrayList<GraphEntry>();
        for (int i = 0; i < plans.length; i++) {
            GraphPart graph = graphs.get(i);
            graphEntries.add(new GraphEntry(
                    graph.partition,
                    source,
                    plans[i],
                    graph.plan.byteSize(),
                    Chunks.crc32c(graph.plan),
                    digests.get(i),
                    graph.segments));
        }
        var segmentEntries = new ArrayList<SegmentEntry>();
        for (int i = 0; i < blocks.length; i++) {
            SegmentPart segment = segments.get(i);
            segmentEntries.add(new SegmentEntry(blocks[i], segment.data.byteSize(), segment.digest, segment.named));
        }
        return new ContextTables(graphEntries, segmentEntries, 0);
    }

    private static long align(long offset, long alignment) {
        return (offset + alignment - 1) / alignment * alignment;
    }

    @Override
    public long byteSize() {
        return byteSize;
    }

    /** The digest that identifies this binary; see {@link ContextTables#digest}. */
    @Override
    public String digest() {
        return ContextTables.digest(front());
    }

    @Override
    public void writeTo(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            write(channel, front().asByteBuffer());
            for (Piece piece : pieces) {
                channel.position(piece.offset);
                Chunks.copy(piece.data, (chunk, count) -> write(channel, ByteBuffer.wrap(chunk, 0, count)));
            }
            if (channel.size() < byteSize) {
                write(channel.position(byteSize - 1), ByteBuffer.allocate(1));
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "context binary " + file + " cannot be written: " + e, e);
        }
    }

    @Override
    public void writeTo(OutputStream to) throws IOException {
        to.write(front().toArray(BYTE));
        long at = tables.byteSize();
        for (Piece piece : pieces) {
            to.write(new byte[(int) (piece.offset - at)]);
            Chunks.copy(piece.data, (chunk, count) -> to.write(chunk, 0, count));
            at = piece.offset + piece.data.byteSize();
        }
    }

    private static void write(FileChannel channel, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    @Override
    public byte[] toBytes() {
        byte[] bytes = new byte[Math.toIntExact(byteSize)];
        MemorySegment.copy(front(), BYTE, 0, bytes, 0, (int) front().byteSize());
        for (Piece piece : pieces) {
            var to = ByteBuffer.wrap(bytes).position((int) piece.offset);
            try {
                Chunks.copy(piece.data, (chunk, count) -> to.put(chunk, 0, count));
            } catch (IOException e) {
                throw new UncheckedIOException("memory cannot be written", e);
            }
        }
        return bytes;
    }
}
