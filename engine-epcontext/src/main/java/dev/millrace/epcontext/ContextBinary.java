package dev.millrace.epcontext;

import dev.millrace.epcontext.binary.Chunks;
import dev.millrace.epcontext.binary.ContextTables;
import dev.millrace.epcontext.binary.ContextTables.GraphEntry;
import dev.millrace.epcontext.binary.ContextTables.SegmentEntry;
import dev.millrace.epcontext.binary.ContextTablesReader;
import dev.millrace.epcontext.binary.SourcePlace;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileIdentity;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.graph.format.FileUse;
import dev.millrace.providers.spi.CompiledGraph;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A context binary, opened for reading. Opening a mapped one reads its tables and nothing else; a graph's plan is read
 * when the graph is first asked for, a segment when its memory is first touched. Plans and segments stay readable for
 * as long as they are referenced. Thread-safe.
 */
public final class ContextBinary {
    /** The bytes of a mapped file that are read before their pages are released. */
    private static final long AT_ONCE = 1 << 23;

    private final String place;
    private final FileMapping.Content content;
    private final MemorySegment file;
    private final ContextTables tables;
    /** The bytes of the header and tables. */
    private final long front;

    private final Map<String, Integer> indexOf = new HashMap<>();
    private final AtomicReferenceArray<@Nullable CompiledGraph> views;
    private final String digest;
    /** A flag for each segment: 1 once its digest has been verified. */
    private final AtomicIntegerArray verified;

    private volatile boolean checked;
    private volatile boolean proven;

    private ContextBinary(FileMapping.Content content, String place) {
        this.place = place;
        this.content = content;
        this.file = content.bytes().asReadOnly();
        ContextTablesReader.Front read = ContextTablesReader.read(this.file, place);
        this.tables = read.tables();
        this.front = read.bytes();
        this.digest = ContextTables.digest(this.file.asSlice(0, front));
        this.views = new AtomicReferenceArray<>(tables.graphs().size());
        this.verified = new AtomicIntegerArray(tables.segments().size());
        for (GraphEntry graph : tables.graphs()) {
            indexOf.put(graph.partition(), indexOf.size());
        }
    }

    /** Maps a file, which must not be overwritten in place while the binary is in use; it may be replaced or removed. */
    public static ContextBinary map(Path path) {
        return open(path, FileUse.MAP);
    }

    /** Opens a file. One that is read as a whole is no longer needed afterwards. */
    public static ContextBinary open(Path path, FileUse use) {
        try {
            return open(FileIdentity.of(path), use);
        } catch (NoSuchFileException e) {
            throw noFile(path);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
    }

    /** Opens a file whose identity was read just now. */
    static ContextBinary open(FileIdentity file, FileUse use) {
        Path path = file.path();
        if (!file.isFile()) {
            throw noFile(path);
        }
        FileMapping.Content content;
        try {
            content = use.readsBinary(file.size()) ? FileMapping.readAll(path) : FileMapping.mapped(file);
        } catch (IOException e) {
            throw unreadable(path, e);
        }
        try {
            return new ContextBinary(content, path.toString());
        } catch (EngineException e) {
            content.check();
            throw e;
        }
    }

    private static EngineException noFile(Path path) {
        return EngineException.invalidGraph("context binary " + path + " does not exist or is no file");
    }

    private static EngineException unreadable(Path path, IOException e) {
        return new EngineException(Status.INVALID_GRAPH, "context binary " + path + " cannot be read: " + e, e);
    }

    /**
     * Returns a binary in memory, which must not change.
     *
     * @param place the binary's name in messages
     */
    public static ContextBinary of(MemorySegment memory, String place) {
        return new ContextBinary(FileMapping.Content.of(memory), place);
    }

    ContextTables tables() {
        return tables;
    }

    long byteSize() {
        return file.byteSize();
    }

    /** The binary's name in messages: usually the file. */
    public String place() {
        return place;
    }

    /** The names of the graphs, in the order in which they were compiled. */
    public List<String> partitions() {
        return tables.graphs().stream().map(GraphEntry::partition).toList();
    }

    public int graphCount() {
        return tables.graphs().size();
    }

    /** Returns the provider that compiled graph {@code index}. */
    public String source(int index) {
        return tables.graphs().get(index).source();
    }

    /** Returns the index of a graph in {@link #partitions()}, or -1 if there is none of this name. */
    public int indexOf(String partition) {
        return indexOf.getOrDefault(partition, -1);
    }

    /**
     * Returns a graph together with the segments that the binary names in its source, which are loaded now.
     *
     * @param model the context node's name for its source model
     */
    CompiledGraph graph(int index, SourceData source, String model) {
        CompiledGraph view = graph(index);
        List<Integer> numbers = tables.graphs().get(index).segments();
        var brought = new HashMap<Integer, MemorySegment>();
        for (int number : numbers) {
            SegmentEntry segment = tables.segments().get(number);
            SourcePlace named = segment.named();
            if (named != null && !brought.containsKey(number)) {
                brought.put(number, source.find(segment, named, model).asReadOnly());
            }
        }
        return brought.isEmpty() ? view : new Completed(view, numbers, brought);
    }

    /**
     * Returns the graph with its plan verified by its digest, and with segments that are verified
     * by theirs when they are asked for.
     */
    CompiledGraph verified(int index, CompiledGraph graph) {
        if (!proven) {
            verify(tables.graphs().get(index));
        }
        return new Verified(this, graph, tables.graphs().get(index).segments());
    }

    /** Returns a graph all of whose segments are in the binary. */
    public CompiledGraph graph(int index) {
        CompiledGraph known = views.get(index);
        if (known != null) {
            return known;
        }
        CompiledGraph made = view(tables.graphs().get(index));
        CompiledGraph first = views.compareAndExchange(index, null, made);
        return first == null ? made : first;
    }

    private CompiledGraph view(GraphEntry graph) {
        return new View(this, graph.partition(), plan(graph), graph.segments());
    }

    private MemorySegment plan(GraphEntry graph) {
        MemorySegment plan = file.asSlice(graph.planOffset(), graph.planLength());
        if (Chunks.crc32c(plan) != graph.planChecksum()) {
            throw damaged("the checksum of the plan of graph '" + graph.partition() + "' is wrong");
        }
        return plan;
    }

    public int segmentCount() {
        return tables.segments().size();
    }

    /** Returns a segment that is in the binary. */
    public MemorySegment segment(int number) {
        SegmentEntry segment = tables.segments().get(number);
        if (segment.named() != null) {
            throw EngineException.invalidGraph("segment " + number + " of context binary " + place
                    + " is not in it: the source has its " + segment.named());
        }
        return file.asSlice(segment.offset(), segment.length());
    }

    /** The digest that identifies this binary: the SHA-256 of its header and tables, which cover everything in it. */
    public String digest() {
        return digest;
    }

    /**
     * Reads everything once, and throws if the binary was damaged since it was written. File pages that are read for
     * that are released. The checksum of the content is used if the binary has one. It is no proof against intent,
     * unlike {@link #prove} together with {@link #digest}.
     */
    public void check() {
        if (checked) {
            return;
        }
        int expected = tables.contentChecksum();
        if (expected == 0) {
            verify();
        } else {
            if (checksum(front) != expected) {
                throw damaged("the checksum of its content is wrong");
            }
        }
        content.check();
        checked = true;
    }

    /**
     * Reads everything once, and throws unless each plan and segment has the SHA-256 that the tables hold. Together
     * with a {@link #digest} of the tables from a trusted source this proves that nobody has changed anything; a plan
     * in a binary of before version 3 has a checksum only.
     */
    public void prove() {
        if (!proven) {
            check();
            verify();
            proven = true;
        }
    }

    /** Returns the CRC-32C of the file from an offset on. */
    private int checksum(long start) {
        try {
            return content.ofFile(channel -> Chunks.crc32c(channel, start, file.byteSize()))
                    .orElseGet(() -> mappedChecksum(start));
        } catch (IOException e) {
            return mappedChecksum(start);
        }
    }

    /** Returns the CRC-32C of mapped or other memory in pieces, each of which is unloaded before the next. */
    private int mappedChecksum(long start) {
        var crc = new CRC32C();
        for (long at = start; at < file.byteSize(); at += AT_ONCE) {
            MemorySegment piece = file.asSlice(at, Math.min(AT_ONCE, file.byteSize() - at));
            Chunks.scan(piece, (chunk, count) -> crc.update(chunk, 0, count));
            if (piece.isMapped()) {
                piece.unload();
            }
        }
        return (int) crc.getValue();
    }

    /** Returns the mapped file, to be checked for truncation after its segments were used; empty if none is mapped. */
    List<MappedFile> mapped() {
        return content.watched();
    }

    private EngineException damaged(String how) {
        content.check();
        return EngineException.invalidGraph(
                "context binary " + place + " is damaged: " + how + "; compile the source model again");
    }

    /** Reads everything, and throws if a plan or segment is not as it was written. */
    public void verify() {
        tables.graphs().forEach(this::verify);
        for (int i = 0; i < segmentCount(); i++) {
            verify(i);
        }
        content.check();
    }

    private void verify(GraphEntry graph) {
        MemorySegment plan = plan(graph);
        if (!graph.planDigest().isEmpty() && !graph.planDigest().equals(ContextTables.sha256(plan))) {
            throw damaged("the digest of the plan of graph '" + graph.partition() + "' is wrong");
        }
    }

    /** Throws if a segment is not as it was written. A segment in the source is verified there. */
    private void verify(int number) {
        SegmentEntry segment = tables.segments().get(number);
        if (segment.named() != null) {
            return;
        }
        if (!HexFormat.of().formatHex(sha256(segment)).equals(segment.digest())) {
            throw damaged("the digest of segment " + number + " is wrong");
        }
    }

    private byte[] sha256(SegmentEntry segment) {
        MemorySegment mapped = file.asSlice(segment.offset(), segment.length());
        try {
            return content.ofFile(
                            channel -> Chunks.sha256(channel, segment.offset(), segment.offset() + segment.length()))
                    .orElseGet(() -> Chunks.sha256(mapped));
        } catch (IOException e) {
            return Chunks.sha256(mapped);
        }
    }

    /** Verifies a segment unless it has been verified before. */
    private void verifyOnce(int number) {
        if (!proven && verified.get(number) == 0) {
            verify(number);
            content.check();
            verified.set(number, 1);
        }
    }

    @Override
    public String toString() {
        return "context binary " + place + " of " + graphCount() + " graphs";
    }

    /** A graph with the segments that were loaded from its source, by their numbers. */
    private record Completed(CompiledGraph view, List<Integer> numbers, Map<Integer, MemorySegment> brought)
            implements CompiledGraph {
        @Override
        public String partition() {
            return view.partition();
        }

        @Override
        public MemorySegment plan() {
            return view.plan();
        }

        @Override
        public int segmentCount() {
            return view.segmentCount();
        }

        @Override
        public MemorySegment segment(int index) {
            MemorySegment memory = brought.get(numbers.get(index));
            return memory == null ? view.segment(index) : memory;
        }
    }

    /** A graph whose segments are verified when they are asked for. */
    private record Verified(ContextBinary binary, CompiledGraph graph, List<Integer> numbers) implements CompiledGraph {
        @Override
        public String partition() {
            return graph.partition();
        }

        @Override
        public MemorySegment plan() {
            return graph.plan();
        }

        @Override
        public int segmentCount() {
            return graph.segmentCount();
        }

        @Override
        public MemorySegment segment(int index) {
            binary.verifyOnce(numbers.get(index));
            return graph.segment(index);
        }
    }

    private record View(ContextBinary binary, String partition, MemorySegment plan, List<Integer> numbers)
            implements CompiledGraph {
        @Override
        public int segmentCount() {
            return numbers.size();
        }

        @Override
        public MemorySegment segment(int index) {
            return binary.segment(numbers.get(index));
        }
    }
}
