package dev.millrace.epcontext.binary;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The front of a context binary: a header, and the tables of its graphs and segments. The numbers here are those
 * of {@code docs/internals/context-binary.md}.
 *
 * @param contentChecksum the CRC-32C of everything behind the tables, or 0 if the binary has none
 */
public record ContextTables(List<GraphEntry> graphs, List<SegmentEntry> segments, int contentChecksum) {
    /** The version that is written: binaries may name segments in their source, and have a digest of each plan. */
    public static final int VERSION = 3;

    /** The version of older binaries, which may name segments in their source. */
    static final int NAMING_VERSION = 2;

    /** The version of older binaries that hold all of their segments. */
    static final int FIRST_VERSION = 1;

    /** The alignment of plans and segments in bytes. */
    public static final long ALIGNMENT = 64;

    /** The bytes {@code MILLRACE}. */
    static final long MAGIC = 0x4543_4152_4C4C_494DL;

    public static final int HEADER = 64;
    public static final int CHECKSUM_AT = 12;
    static final int COUNTS_AT = 32;
    public static final int CONTENT_CHECKSUM_AT = 48;
    static final int NAMED_AT = 52;
    static final int DIGEST = 32;

    static final int MAX_GRAPHS = 1 << 16;
    static final int MAX_SEGMENTS = 1 << 20;
    static final int MAX_REFERENCES = 1 << 22;
    static final int MAX_NAMES = 1 << 24;

    private static final int GRAPH = 32;
    private static final int SEGMENT = 48;
    private static final int NAMED = 16;

    /**
     * A compiled partition: the provider that compiled it, the place of its plan, and the segments that it uses.
     *
     * @param planDigest the SHA-256 of the plan in hexadecimal digits; empty in an older binary
     */
    public record GraphEntry(
            String partition,
            String source,
            long planOffset,
            long planLength,
            int planChecksum,
            String planDigest,
            List<Integer> segments) {
        public GraphEntry {
            segments = List.copyOf(segments);
        }
    }

    /**
     * A segment, with the SHA-256 of its content in hexadecimal digits.
     *
     * @param offset the offset in the binary, or 0 if the segment is only named
     * @param named its place in the source, or null if it is in the binary
     */
    public record SegmentEntry(
            long offset,
            long length,
            String digest,
            @Nullable SourcePlace named) {}

    public ContextTables {
        graphs = List.copyOf(graphs);
        segments = List.copyOf(segments);
    }

    /** Returns the encoded header and tables of a file of {@code fileLength} bytes. */
    public byte[] encode(long fileLength) {
        int references = references();
        int names = names();
        ByteBuffer to = ByteBuffer.allocate(byteSize()).order(ByteOrder.LITTLE_ENDIAN);
        int named = named();
        to.putLong(MAGIC).putInt(VERSION).putInt(0);
        to.putLong(fileLength).putLong(byteSize() - HEADER);
        to.putInt(graphs.size()).putInt(segments.size()).putInt(references).putInt(names);
        to.putInt(CONTENT_CHECKSUM_AT, contentChecksum).putInt(NAMED_AT, named);
        to.position(HEADER);
        for (GraphEntry graph : graphs) {
            to.putInt(utf8(graph.partition).length).putInt(utf8(graph.source).length);
            to.putInt(graph.segments.size()).putInt(graph.planChecksum);
            to.putLong(graph.planOffset).putLong(graph.planLength);
        }
        for (SegmentEntry segment : segments) {
            to.putLong(segment.offset).putLong(segment.length);
            to.put(HexFormat.of().parseHex(segment.digest));
        }
        graphs.forEach(graph -> graph.segments.forEach(to::putInt));
        places().forEach(place -> {
            to.putInt(utf8(place.initializer()).length).putInt(utf8(place.file()).length);
            to.putLong(place.offset());
        });
        graphs.forEach(graph -> to.put(HexFormat.of().parseHex(graph.planDigest)));
        graphs.forEach(graph -> to.put(utf8(graph.partition)).put(utf8(graph.source)));
        places().forEach(place -> to.put(utf8(place.initializer())).put(utf8(place.file())));
        to.putInt(CHECKSUM_AT, Chunks.crc32c(MemorySegment.ofArray(to.array())));
        return to.array();
    }

    ContextTables withContentChecksum(int checksum) {
        return new ContextTables(graphs, segments, checksum);
    }

    /** Returns the digest that identifies a binary, that of its header and tables, which cover everything in it. */
    public static String digest(MemorySegment front) {
        return "sha256:" + sha256(front);
    }

    /** Returns the SHA-256 of data that usually are small, in hexadecimal digits. */
    public static String sha256(MemorySegment data) {
        byte[] digest = data.byteSize() <= SmallDigest.MOST_BYTES
                ? SmallDigest.sha256(data.toArray(ValueLayout.JAVA_BYTE))
                : Chunks.sha256(data);
        return HexFormat.of().formatHex(digest);
    }

    /** The number of bytes of the header and tables. */
    int byteSize() {
        return HEADER
                + (int) tablesLength(
                        within("graphs", graphs.size(), MAX_GRAPHS),
                        within("segments", segments.size(), MAX_SEGMENTS),
                        references(),
                        named(),
                        graphs.size(),
                        names());
    }

    static long tablesLength(long graphs, long segments, long references, long named, long digests, long names) {
        return graphs * GRAPH
                + segments * SEGMENT
                + references * Integer.BYTES
                + named * NAMED
                + digests * DIGEST
                + names;
    }

    /** Returns the places in the source of the segments that are not in the binary. */
    private Stream<SourcePlace> places() {
        return segments.stream().map(SegmentEntry::named).filter(Objects::nonNull);
    }

    private int named() {
        return (int) places().count();
    }

    private int references() {
        long sum = graphs.stream().mapToLong(graph -> graph.segments.size()).sum();
        return within("references to segments", sum, MAX_REFERENCES);
    }

    private int names() {
        long sum = graphs.stream()
                .mapToLong(graph -> (long) utf8(graph.partition).length + utf8(graph.source).length)
                .sum();
        sum += places().mapToLong(place -> (long) utf8(place.initializer()).length + utf8(place.file()).length)
                .sum();
        return within("bytes of names", sum, MAX_NAMES);
    }

    private static int within(String what, long count, int limit) {
        if (count > limit) {
            throw new EngineException(
                    Status.FAIL, "a context binary holds at most " + limit + " " + what + ", and here are " + count);
        }
        return (int) count;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
