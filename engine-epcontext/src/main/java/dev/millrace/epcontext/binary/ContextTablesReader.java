package dev.millrace.epcontext.binary;

import static dev.millrace.graph.tensor.ByteLayouts.INT;
import static dev.millrace.graph.tensor.ByteLayouts.LONG;

import dev.millrace.epcontext.binary.ContextTables.GraphEntry;
import dev.millrace.epcontext.binary.ContextTables.SegmentEntry;
import dev.millrace.graph.EngineException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * Reads header and tables of a context binary that comes from outside. Every number is held against the length of the
 * file before it is used, so what is returned lies inside of it.
 */
public final class ContextTablesReader {
    private final MemorySegment file;
    private final String place;

    private ContextTablesReader(MemorySegment file, String place) {
        this.file = file;
        this.place = place;
    }

    /** Whether {@code file} says of itself that it is a context binary. */
    public static boolean hasMagic(MemorySegment file) {
        return file.byteSize() >= ContextTables.HEADER && file.get(LONG, 0) == ContextTables.MAGIC;
    }

    /** Tables that were read, and how many bytes they take with their header. */
    public record Front(ContextTables tables, long bytes) {}

    /** @param place what to call the file where it is refused */
    public static Front read(MemorySegment file, String place) {
        return new ContextTablesReader(file, place).read();
    }

    private Front read() {
        if (!hasMagic(file)) {
            throw refuse("it is none: it does not start as one");
        }
        ByteBuffer header = file.asSlice(0, ContextTables.HEADER).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        int version = header.getInt(8);
        if (version < ContextTables.FIRST_VERSION || version > ContextTables.VERSION) {
            throw refuse("its format is version " + Integer.toUnsignedString(version)
                    + ", and this engine reads versions " + ContextTables.FIRST_VERSION + " to "
                    + ContextTables.VERSION + "; compile the source model again");
        }
        long length = header.getLong(16);
        if (length != file.byteSize()) {
            throw refuse("it says that it has " + Long.toUnsignedString(length) + " bytes, and it has "
                    + file.byteSize() + "; it was cut off or changed");
        }
        header.position(ContextTables.COUNTS_AT);
        int graphs = count("graphs", header.getInt(), ContextTables.MAX_GRAPHS);
        int segments = count("segments", header.getInt(), ContextTables.MAX_SEGMENTS);
        int references = count("references", header.getInt(), ContextTables.MAX_REFERENCES);
        int names = count("bytes of names", header.getInt(), ContextTables.MAX_NAMES);
        int named = version < ContextTables.NAMING_VERSION
                ? 0
                : count("named segments", header.getInt(ContextTables.NAMED_AT), segments);
        int digests = version < ContextTables.VERSION ? 0 : graphs;
        long tables = ContextTables.tablesLength(graphs, segments, references, named, digests, names);
        if (header.getLong(24) != tables || tables > file.byteSize() - ContextTables.HEADER) {
            throw refuse("its tables do not have the length that their entries need");
        }
        MemorySegment front = file.asSlice(0, ContextTables.HEADER + tables);
        if (checksum(front) != file.get(INT, ContextTables.CHECKSUM_AT)) {
            throw refuse("the checksum of its tables is wrong; it was damaged");
        }
        ByteBuffer in = front.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN).position(ContextTables.HEADER);
        ByteBuffer graphTable = table(in, ContextTables.tablesLength(graphs, 0, 0, 0, 0, 0));
        ByteBuffer segmentTable = table(in, ContextTables.tablesLength(0, segments, 0, 0, 0, 0));
        ByteBuffer referenceTable = table(in, ContextTables.tablesLength(0, 0, references, 0, 0, 0));
        ByteBuffer namedTable = table(in, ContextTables.tablesLength(0, 0, 0, named, 0, 0));
        ByteBuffer digestTable = table(in, ContextTables.tablesLength(0, 0, 0, 0, digests, 0));
        List<GraphEntry> graphEntries = graphs(graphTable, referenceTable, digestTable, in, segments);
        List<SegmentEntry> segmentEntries = segments(segmentTable, namedTable, in, segments);
        if (referenceTable.hasRemaining() || namedTable.hasRemaining() || in.hasRemaining()) {
            throw refuse("its graphs and segments do not use all of its references and names");
        }
        int content = file.get(INT, ContextTables.CONTENT_CHECKSUM_AT);
        return new Front(new ContextTables(graphEntries, segmentEntries, content), front.byteSize());
    }

    /** The next so many bytes. */
    private static ByteBuffer table(ByteBuffer in, long length) {
        ByteBuffer table = in.slice(in.position(), (int) length).order(ByteOrder.LITTLE_ENDIAN);
        in.position(in.position() + table.capacity());
        return table;
    }

    private List<SegmentEntry> segments(ByteBuffer table, ByteBuffer named, ByteBuffer names, int count) {
        var entries = new ArrayList<SegmentEntry>(count);
        for (int i = 0; i < count; i++) {
            long offset = table.getLong();
            long length = table.getLong();
            String digest = digest(table);
            SourcePlace place = offset == 0 && named.hasRemaining() ? place(i, length, named, names) : null;
            if (place == null) {
                checkRange("segment ", i, offset, length, names.limit());
            }
            entries.add(new SegmentEntry(offset, length, digest, place));
        }
        return entries;
    }

    private static String digest(ByteBuffer table) {
        byte[] digest = new byte[ContextTables.DIGEST];
        table.get(digest);
        return HexFormat.of().formatHex(digest);
    }

    private SourcePlace place(int segment, long length, ByteBuffer named, ByteBuffer names) {
        int initializer = named.getInt();
        int location = named.getInt();
        long offset = named.getLong();
        if (length < 0 || offset < 0 || length > Long.MAX_VALUE - offset) {
            throw refuse("segment " + segment + " lies nowhere in its source: " + Long.toUnsignedString(length)
                    + " bytes at offset " + Long.toUnsignedString(offset));
        }
        return new SourcePlace(text(names, initializer), text(names, location), offset);
    }

    private List<GraphEntry> graphs(
            ByteBuffer table, ByteBuffer references, ByteBuffer digests, ByteBuffer names, int segments) {
        var entries = new ArrayList<GraphEntry>();
        Set<String> known = new HashSet<>();
        int dataStart = names.limit();
        while (table.hasRemaining()) {
            int partitionLength = table.getInt();
            int sourceLength = table.getInt();
            int used = table.getInt();
            int checksum = table.getInt();
            long planOffset = table.getLong();
            long planLength = table.getLong();
            String partition = text(names, partitionLength);
            String source = text(names, sourceLength);
            if (!known.add(partition)) {
                throw refuse("it has two graphs named '" + partition + "'");
            }
            checkRange("the plan of graph ", partition, planOffset, planLength, dataStart);
            entries.add(new GraphEntry(
                    partition,
                    source,
                    planOffset,
                    planLength,
                    checksum,
                    digests.hasRemaining() ? digest(digests) : "",
                    references(references, used, segments)));
        }
        return entries;
    }

    private List<Integer> references(ByteBuffer table, int count, int segments) {
        if (count < 0 || count > table.remaining() / Integer.BYTES) {
            throw refuse("its graphs have more references than there are");
        }
        var numbers = new ArrayList<Integer>(count);
        for (int i = 0; i < count; i++) {
            int number = table.getInt();
            if (number < 0 || number >= segments) {
                throw refuse("a graph refers to segment " + Integer.toUnsignedString(number) + " of " + segments);
            }
            numbers.add(number);
        }
        return numbers;
    }

    private String text(ByteBuffer names, int length) {
        if (length < 0 || length > names.remaining()) {
            throw refuse("its names are longer than their table");
        }
        byte[] bytes = new byte[length];
        names.get(bytes);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw refuse("a name is not UTF-8");
        }
    }

    private void checkRange(String kind, Object which, long offset, long length, long dataStart) {
        if (offset < dataStart || length < 0 || offset > file.byteSize() || length > file.byteSize() - offset) {
            throw refuse(kind + which + " lies at offset " + Long.toUnsignedString(offset) + " with "
                    + Long.toUnsignedString(length) + " bytes, outside of the data of the file's "
                    + file.byteSize() + " bytes");
        }
        if (offset % ContextTables.ALIGNMENT != 0) {
            throw refuse(kind + which + " lies at offset " + offset + ", which is no multiple of "
                    + ContextTables.ALIGNMENT);
        }
    }

    private int count(String what, int count, int limit) {
        if (count < 0 || count > limit) {
            throw refuse("it claims " + Integer.toUnsignedString(count) + " " + what + "; at most " + limit
                    + " are allowed");
        }
        return count;
    }

    /** The checksum of header and tables, computed with zero in its own place. */
    private static int checksum(MemorySegment front) {
        var crc = new CRC32C();
        crc.update(front.asSlice(0, ContextTables.CHECKSUM_AT).asByteBuffer());
        crc.update(new byte[Integer.BYTES]);
        crc.update(front.asSlice(ContextTables.CHECKSUM_AT + Integer.BYTES).asByteBuffer());
        return (int) crc.getValue();
    }

    private EngineException refuse(String why) {
        return EngineException.invalidGraph("context binary " + place + " is refused: " + why);
    }
}
