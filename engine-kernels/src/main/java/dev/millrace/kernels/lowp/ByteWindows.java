package dev.millrace.kernels.lowp;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/**
 * The layout of overlapping windows in an image that are the rows of a left factor: the rows are arranged in lines, and
 * each row consists of some strips. A strip is a multiple of four bytes long.
 *
 * @param line the number of rows in a line
 * @param lineStep bytes from one line to the next
 * @param strips strips of a row
 * @param stripStep bytes from one strip to the next
 */
public record ByteWindows(long line, long lineStep, long strips, long stripStep) {
    public ByteWindows {
        if (line < 1 || strips < 1) {
            throw new IllegalArgumentException("windows of " + strips + " strips, " + line + " in a line");
        }
    }

    /** Returns the offset of a row, where the rows of a line are {@code stride} bytes apart. */
    long start(long row, long stride) {
        return row / line * lineStep + row % line * stride;
    }

    void check(String name, MemorySegment data, long rows, long columns, long stride) {
        if (columns % (4 * strips) != 0) {
            throw new IllegalArgumentException(name + " has rows of " + columns + " bytes, which " + strips
                    + " strips of whole fours do not fill");
        }
        if (rows > 0) {
            long inLine = Math.multiplyExact(Math.min(rows, line) - 1, stride);
            long lines = Math.multiplyExact((rows - 1) / line, lineStep);
            long last = Math.addExact(Math.addExact(inLine, lines), Math.multiplyExact(strips - 1, stripStep));
            CallChecks.bytes(name, data, Math.addExact(last, columns / strips));
        }
    }
}
