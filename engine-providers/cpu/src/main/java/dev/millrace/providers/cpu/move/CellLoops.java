package dev.millrace.providers.cpu.move;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.scheduler.kernel.RunServices;
import java.lang.foreign.MemorySegment;

/** Loops over cells: elements of which only the size matters. Positions and steps count cells, sizes count bytes. */
public final class CellLoops {
    private static final int SHORT_RUN_BYTES = 64;
    private static final int TILE = 32;
    /** So many cells at most are written again and again: they stay in the caches. */
    private static final int MOST_REPEATED = 1 << 13;

    /** Bytes after which cancellation is looked at. */
    private static final long PIECE = 1 << 24;

    private CellLoops() {}

    /** Makes all of it zero, a piece at a time. */
    public static void zeros(RunServices run, MemorySegment memory) {
        for (long at = 0; at < memory.byteSize(); at += PIECE) {
            run.checkCancelled();
            memory.asSlice(at, Math.min(PIECE, memory.byteSize() - at)).fill((byte) 0);
        }
    }

    /** Copies {@code count} adjacent cells. */
    public static void copy(int size, MemorySegment from, long first, MemorySegment to, long at, long count) {
        if (count * size > SHORT_RUN_BYTES) {
            MemorySegment.copy(from, first * size, to, at * size, count * size);
        } else {
            copy(size, from, first, 1, to, at, 1, count);
        }
    }

    /** Copies {@code count} cells, the source {@code step} cells apart, the target {@code toStep} cells apart. */
    public static void copy(
            int size, MemorySegment from, long first, long step, MemorySegment to, long at, long toStep, long count) {
        int n = (int) count;
        switch (size) {
            case 1 -> {
                for (int i = 0; i < n; i++) {
                    to.set(ByteLayouts.BYTE, at + i * toStep, from.get(ByteLayouts.BYTE, first + i * step));
                }
            }
            case 2 -> {
                for (int i = 0; i < n; i++) {
                    to.set(
                            ByteLayouts.SHORT,
                            (at + i * toStep) * 2,
                            from.get(ByteLayouts.SHORT, (first + i * step) * 2));
                }
            }
            case 4 -> {
                for (int i = 0; i < n; i++) {
                    to.set(ByteLayouts.INT, (at + i * toStep) * 4, from.get(ByteLayouts.INT, (first + i * step) * 4));
                }
            }
            case 8 -> {
                for (int i = 0; i < n; i++) {
                    to.set(ByteLayouts.LONG, (at + i * toStep) * 8, from.get(ByteLayouts.LONG, (first + i * step) * 8));
                }
            }
            default -> {
                for (int i = 0; i < n; i++) {
                    MemorySegment.copy(from, (first + i * step) * size, to, (at + i * toStep) * size, size);
                }
            }
        }
    }

    /** Copies the cells that are some places behind {@code first}, one behind the other. */
    public static void gather(int size, MemorySegment from, long first, int[] places, MemorySegment to, long at) {
        switch (size) {
            case 4 -> {
                for (int i = 0; i < places.length; i++) {
                    to.set(ByteLayouts.INT, (at + i) * 4, from.get(ByteLayouts.INT, (first + places[i]) * 4));
                }
            }
            case 8 -> {
                for (int i = 0; i < places.length; i++) {
                    to.set(ByteLayouts.LONG, (at + i) * 8, from.get(ByteLayouts.LONG, (first + places[i]) * 8));
                }
            }
            default -> {
                for (int i = 0; i < places.length; i++) {
                    copy(size, from, first + places[i], to, at + i, 1);
                }
            }
        }
    }

    /** Copies {@code rows} by {@code columns} cells, both sides with a step for each direction, in square tiles. */
    public static void copyPlane(
            int size,
            MemorySegment from,
            long first,
            long rowStep,
            long columnStep,
            MemorySegment to,
            long at,
            long toRowStep,
            long toColumnStep,
            long rows,
            long columns) {
        long column = 0;
        if (size == 4 && rowStep == 1 && toColumnStep == 1 && rows > 1) {
            column = columns & -2;
            swapPairs(from, first, columnStep, to, at, toRowStep, rows & -2, column);
            if ((rows & 1) != 0) {
                copy(4, from, first + rows - 1, columnStep, to, at + (rows - 1) * toRowStep, 1, column);
            }
        }
        for (; column < columns; column += TILE) {
            long width = Math.min(TILE, columns - column);
            for (long row = 0; row < rows; row++) {
                long source = first + row * rowStep + column * columnStep;
                long target = at + row * toRowStep + column * toColumnStep;
                copy(size, from, source, columnStep, to, target, toColumnStep, width);
            }
        }
    }

    /** Cells of four bytes, contiguous by rows on one side and by columns on the other: two by two, in a long each. */
    private static void swapPairs(
            MemorySegment from,
            long first,
            long columnStep,
            MemorySegment to,
            long at,
            long toRowStep,
            long rows,
            long columns) {
        int n = (int) rows;
        long low = 0xffffffffL;
        for (long column = 0; column < columns; column += 2) {
            long source = (first + column * columnStep) * 4;
            long beside = source + columnStep * 4;
            long target = (at + column) * 4;
            long step = toRowStep * 4;
            for (int row = 0; row < n; row += 2) {
                long a = from.get(ByteLayouts.LONG, source + row * 4L);
                long b = from.get(ByteLayouts.LONG, beside + row * 4L);
                long place = target + row * step;
                to.set(ByteLayouts.LONG, place, (a & low) | (b << 32));
                to.set(ByteLayouts.LONG, place + step, (a >>> 32) | (b & ~low));
            }
        }
    }

    /** Fills {@code count} adjacent cells with the cell at {@code source} of {@code from}. */
    public static void fill(int size, MemorySegment from, long source, MemorySegment to, long at, long count) {
        if (count == 0) {
            return;
        }
        if (isUniform(size, from, source)) {
            to.asSlice(at * size, count * size).fill(from.get(ByteLayouts.BYTE, source * size));
            return;
        }
        copy(size, from, source, 0, to, at, 1, Math.min(count, 16));
        for (long done = 16; done < count; ) {
            long more = Math.min(Math.min(done, MOST_REPEATED), count - done);
            MemorySegment.copy(to, at * size, to, (at + done) * size, more * size);
            done += more;
        }
    }

    private static boolean isUniform(int size, MemorySegment from, long cell) {
        byte head = from.get(ByteLayouts.BYTE, cell * size);
        for (int i = 1; i < size; i++) {
            if (from.get(ByteLayouts.BYTE, cell * size + i) != head) {
                return false;
            }
        }
        return true;
    }
}
