package dev.millrace.memory;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A mapped file that {@link MappingGuard} watches for as long as it is mapped. This object does not keep it mapped:
 * callers keep the mapping reachable, or get the state at the time when it was unmapped.
 */
public final class WatchedMapping {
    final int row;
    /** The first address of the mapping, whose last is before {@code end}. */
    final long start;

    final long end;

    private final MappedRanges ranges;
    /** A byte near the file's end. The buffer does not keep the mapping alive. */
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
     * Returns the last byte of a file's last page that is not zero. It shows that the file was truncated within the
     * page, since the missing rest of a page reads as zeros without a fault.
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
     * Whether the file was truncated since it was mapped: a thread read a missing page and got zeros, or the file's end
     * is missing. If other threads read the mapping, the caller must have synchronised with them before.
     */
    public boolean isDamaged() {
        if (isUnmapped) {
            return wasDamaged;
        }
        // without a handler, reading the sign could end the process
        return ranges.hits(row) != 0 || MappingGuard.handles() && sign.get(0) != expected;
    }

    /** Records the state when the mapping is unmapped, before its row is reused. */
    void unmapped(boolean damaged) {
        wasDamaged = damaged;
        isUnmapped = true;
    }
}
