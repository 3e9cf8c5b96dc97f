package dev.millrace.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A table of address ranges for a signal handler, which takes no lock and sees each row either complete or not at all.
 *
 * <p>The first word is the number of rows that were ever used. A row has the first address of its range, or -1 while it
 * is free, the address after its last, and the number of faults that the handler found in it. A row's first address is
 * written last and cleared first; the handler reads it before and after the others.
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

    /** @param memory zeroed memory that is never freed */
    MappedRanges(MemorySegment memory) {
        address = memory.address();
        table = memory.asByteBuffer().order(ByteOrder.nativeOrder());
        owners = new WatchedMapping[(int) ((memory.byteSize() - HEADER) / ROW)];
    }

    /** Allocates a table that lives until the process ends. */
    static MappedRanges ofRows(int rows) {
        return new MappedRanges(Arena.global().allocate(HEADER + (long) rows * ROW, HEADER));
    }

    /** The address of the table. */
    long address() {
        return address;
    }

    private static int at(int row) {
        return HEADER + row * ROW;
    }

    /**
     * Adds a row for a range; null where none is left.
     *
     * @param sign supplies a byte of the range that shows whether its end is still there; called once the range is
     *     watched
     */
    synchronized @Nullable WatchedMapping add(long start, long end, Supplier<ByteBuffer> sign) {
        int row = -1;
        for (int i = used - 1; i >= 0; i--) {
            WatchedMapping owner = owners[i];
            if (owner != null && owner.start < end && start < owner.end) {
                // the owner's memory was unmapped already, and the system has reused its addresses
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

    /** Frees a row unless it is free already. */
    synchronized void remove(WatchedMapping owner) {
        if (owners[owner.row] == owner) {
            table.putLong(at(owner.row), FREE);
            VarHandle.fullFence();
            owner.unmapped(hits(owner.row) != 0);
            owners[owner.row] = null;
        }
    }

    /** Returns the mapping that contains an address, or null. */
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
