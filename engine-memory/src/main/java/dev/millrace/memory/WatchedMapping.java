package dev.millrace.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A mapped file that {@link MappingGuard} watches over for as long as it is mapped. It does not keep it mapped: who asks
 * holds the mapping, or asks too late and hears what was so at its end.
 */
public final class WatchedMapping {
    final int row;
    /** Where it lies: up to, not with, {@code end}. */
    final long start;

    final long end;

    private final MappedRanges ranges;
    /** A byte near the file's end, in memory that nothing keeps from being unmapped. */
    private final ByteBuffer sign;

    private final byte expected;
    private volatile boolean isUnmapped;
    private volatile boolean wasDamaged;

    WatchedMapping(MappedRanges ranges, int row, long start, long end, ByteBuffer sign) {
        this.ranges = ranges;
        this.row = row;
        this.start = start;
        this.end = end;
        this.sign = sign;
        expected = sign.get(0);
    }

    /**
     * The last byte of a file's last page that is not zero: what is left of a page that was cut reads as zeros without a
     * fault.
     */
    static ByteBuffer sign(MemorySegment mapping) {
        long last = mapping.address() + mapping.byteSize() - 1;
        ByteBuffer page = MemorySegment.ofAddress(last & -Pages.SIZE)
                .reinterpret((last & Pages.SIZE - 1) + 1)
                .asByteBuffer();
        int at = page.limit() - 1;
        while (at > 0 && page.get(at) == 0) {
            at--;
        }
        return page.slice(at, 1);
    }

    /**
     * Whether the file was cut short since it was mapped: somebody read a page that is gone, and got zeros, or the file's
     * end is not there. Whoever shared what was read with other threads has to have heard from them before.
     */
    public boolean isDamaged() {
        if (isUnmapped) {
            return wasDamaged;
        }
        // without a handler a look at the sign could be the end of the process
        return ranges.hits(row) != 0 || MappingGuard.handles() && sign.get(0) != expected;
    }

    /** The last moment before its row is another's. */
    void unmapped(boolean damaged) {
        wasDamaged = damaged;
        isUnmapped = true;
    }
}
