package dev.millrace.kernels.intgemm;

import dev.millrace.kernels.call.Extents;
import java.lang.foreign.MemorySegment;

/**
 * How the rows of a left factor lie in an image, where they are windows that overlap: in lines, each row being some
 * strips. A strip is whole fours of bytes.
 *
 * @param line how many rows are in a line
 * @param lineStep bytes from one line to the next
 * @param strips of a row
 * @param stripStep bytes from one strip to the next
 */
public record ByteWindows(long line, long lineStep, long strips, long stripStep) {
    public ByteWindows {
        if (line < 1 || strips < 1) {
            throw new IllegalArgumentException("windows of " + strips + " strips, " + line + " in a line");
        }
    }

    /** Where a row begins, the first of a line being so many bytes apart. */
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
            Extents.bytes(name, data, Math.addExact(last, columns / strips));
        }
    }
}
