package dev.millrace.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Ranges of addresses, where the handler of a signal finds them: it takes no lock and sees each row as it is or not at all.
 *
 * <p>The first word counts the rows that were ever used. A row has its first address, or -1 while it is free, the address
 * behind its last, and how often the handler found an address in it. A row's first address is written last and is taken
 * away first; the handler reads it before and after the others.
 */
final class MappedRanges {
    static final int HEADER = 64;
    static final int ROW = 32;

    private static final int END = 8;
    private static final int HITS = 16;
    private static final long FREE = -1;

    private final long address;
    private final ByteBuffer table;
    private final @Nullable WatchedMapping[] owners;
    private int used;

    /** @param memory that stays, of zeros */
    MappedRanges(MemorySegment memory) {
        address = memory.address();
        table = memory.asByteBuffer().order(ByteOrder.nativeOrder());
        owners = new WatchedMapping[(int) ((memory.byteSize() - HEADER) / ROW)];
    }

    /** A table that stays where it is until the process ends. */
    static MappedRanges ofRows(int rows) {
        return new MappedRanges(Arena.global().allocate(HEADER + (long) rows * ROW, HEADER));
    }

    /** Where the table lies. */
    long address() {
        return address;
    }

    private static int at(int row) {
        return HEADER + row * ROW;
    }

    /**
     * A row for a range, or null where there is none left.
     *
     * @param sign a byte of it that is to stay; asked for when the range is watched already
     */
    synchronized @Nullable WatchedMapping add(long start, long end, Supplier<ByteBuffer> sign) {
        int row = -1;
        for (int i = used - 1; i >= 0; i--) {
            WatchedMapping owner = owners[i];
            if (owner != null && owner.start < end && start < owner.end) {
                // whose memory has been unmapped already: the system gave it away again
                remove(owner);
            }
            row = owners[i] == null ? i : row;
        }
        if (row < 0) {
            if (used == owners.length) {
                return null;
            }
            row = used++;
        }
        table.putLong(at(row), FREE);
        table.putLong(at(row) + END, end);
        table.putLong(at(row) + HITS, 0);
        VarHandle.releaseFence();
        table.putLong(at(row), start);
        VarHandle.releaseFence();
        table.putLong(0, used);
        var added = new WatchedMapping(this, row, start, end, sign.get());
        owners[row] = added;
        return added;
    }

    /** Frees a row, unless that has happened. */
    synchronized void remove(WatchedMapping owner) {
        if (owners[owner.row] == owner) {
            table.putLong(at(owner.row), FREE);
            VarHandle.fullFence();
            owner.unmapped(hits(owner.row) != 0);
            owners[owner.row] = null;
        }
    }

    /** The mapping in which an address lies, or null. */
    synchronized @Nullable WatchedMapping at(long address) {
        for (int row = 0; row < used; row++) {
            WatchedMapping owner = owners[row];
            if (owner != null && owner.start <= address && address < owner.end) {
                return owner;
            }
        }
        return null;
    }

    long hits(int row) {
        return table.getLong(at(row) + HITS);
    }
}
