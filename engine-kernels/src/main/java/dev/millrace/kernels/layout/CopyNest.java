package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * A copy, or a part of one, as a kernel does it: the three loops of the kernel, and the loops around its calls.
 *
 * @param innerGrain threads cut the inner loop at multiples of this, and nobody gets less; 0 if it is not to be cut
 * @param middleGrain the same for the middle loop
 * @param to where the first element is written, in bytes
 * @param from where the first element is read
 */
record CopyNest(
        KernelKey key,
        CopyLoop inner,
        CopyLoop middle,
        CopyLoop outer,
        List<CopyLoop> around,
        long innerGrain,
        long middleGrain,
        long to,
        long from) {
    /** Parts of a run start at a multiple of this, so that no two threads write to the same cache line. */
    private static final long RUN_GRAIN = 256;

    /** The nests that do a copy together. */
    static List<CopyNest> of(StridedCopy copy, Target target) {
        if (copy.unit() == 0) {
            return List.of();
        }
        boolean isElement = copy.unit() <= Long.BYTES && Long.bitCount(copy.unit()) == 1;
        if (isElement && !copy.loops().isEmpty() && copy.loops().getLast().to() == copy.unit()) {
            CopyLoop rows = copy.loops().getLast();
            for (CopyLoop columns : copy.loops()) {
                if (columns.from() == copy.unit() && rows.from() > 0) {
                    Transposes transposes = new Transposes(copy, rows, columns, target);
                    return transposes.areOfPixels() ? List.of(transposes.pixels()) : transposes.nests();
                }
            }
            if (rows.from() == 0 && rows.count() * rows.to() >= target.vectorBytes()) {
                CopyLoop run = new CopyLoop(copy.unit() * rows.count(), 1, 0);
                return List.of(ofRuns(copy, RunFill.key((int) copy.unit()), run, without(copy.loops(), rows)));
            }
        }
        CopyLoop run = new CopyLoop(copy.unit(), 1, 1);
        return List.of(ofRuns(copy, RunCopy.key(copy.unit(), target), run, copy.loops()));
    }

    private static CopyNest ofRuns(StridedCopy copy, KernelKey key, CopyLoop run, List<CopyLoop> loops) {
        int last = loops.size() - 1;
        return new CopyNest(
                key,
                run,
                last >= 0 ? loops.get(last) : CopyLoop.ONCE,
                last >= 1 ? loops.get(last - 1) : CopyLoop.ONCE,
                loops.subList(0, Math.max(0, last - 1)),
                run.count() >= 2 * RUN_GRAIN ? RUN_GRAIN : 0,
                1,
                copy.toOffset(),
                copy.fromOffset());
    }

    private static List<CopyLoop> without(List<CopyLoop> loops, CopyLoop... taken) {
        List<CopyLoop> others = new ArrayList<>(loops);
        others.removeAll(List.of(taken));
        return others;
    }

    /** Bytes that are written. */
    long bytes() {
        long count = inner.count() * middle.count() * outer.count() * Math.max(1, Math.min(inner.to(), middle.to()));
        for (CopyLoop loop : around) {
            count *= loop.count();
        }
        return count;
    }

    /** The squares of elements as large as they can be, then what they leave at the bottom and at the right. */
    private record Transposes(StridedCopy copy, CopyLoop rows, CopyLoop columns, Target target) {
        /** Whether rows become planes, columns being the channels of their pixels. */
        private boolean toPlanes() {
            return rows.from() == columns.count() * copy.unit() && areChannels(columns, rows);
        }

        private boolean fromPlanes() {
            return columns.to() == rows.count() * copy.unit() && areChannels(rows, columns);
        }

        private boolean areChannels(CopyLoop channels, CopyLoop pixels) {
            return PixelTranspose.takes(copy.unit())
                    && channels.count() <= PixelTranspose.MAX_CHANNELS
                    && pixels.count() >= PixelTranspose.step(target, (int) copy.unit());
        }

        boolean areOfPixels() {
            return toPlanes() || fromPlanes();
        }

        CopyNest pixels() {
            CopyLoop pixels = toPlanes() ? rows : columns;
            CopyLoop channels = toPlanes() ? columns : rows;
            int bytes = (int) copy.unit();
            List<CopyLoop> others = without(copy.loops(), rows, columns);
            CopyLoop outer = longest(others);
            return new CopyNest(
                    PixelTranspose.key(bytes, (int) channels.count(), toPlanes()),
                    pixels,
                    channels,
                    outer,
                    without(others, outer),
                    Math.max(PixelTranspose.step(target, bytes), 64 / bytes),
                    0,
                    copy.toOffset(),
                    copy.fromOffset());
        }

        private static CopyLoop longest(List<CopyLoop> loops) {
            CopyLoop longest = null;
            for (CopyLoop loop : loops) {
                if (longest == null || loop.count() >= longest.count()) {
                    longest = loop;
                }
            }
            return longest == null ? CopyLoop.ONCE : longest;
        }

        List<CopyNest> nests() {
            int bytes = (int) copy.unit();
            int side = Squares.side(target, bytes, true);
            if (bytes >= Integer.BYTES || rows.count() < side || columns.count() < side) {
                return List.of(nest(0, rows.count(), 0, columns.count(), false));
            }
            long wholeRows = rows.count() / side * side;
            long wholeColumns = columns.count() / side * side;
            List<CopyNest> nests = new ArrayList<>();
            nests.add(nest(0, wholeRows, 0, wholeColumns, true));
            if (wholeColumns < columns.count()) {
                nests.add(nest(0, rows.count(), wholeColumns, columns.count(), false));
            }
            if (wholeRows < rows.count()) {
                nests.add(nest(wholeRows, rows.count(), 0, wholeColumns, false));
            }
            return nests;
        }

        private CopyNest nest(long firstRow, long endRow, long firstColumn, long endColumn, boolean packed) {
            int bytes = (int) copy.unit();
            int side = Squares.side(target, bytes, packed);
            long rowCount = endRow - firstRow;
            long columnCount = endColumn - firstColumn;
            boolean dense = rowCount < side && columnCount >= side && columns.to() == rowCount * bytes;
            var variant = new SquareTranspose.Variant(
                    bytes, (int) Math.min(side, rowCount), (int) Math.min(side, columnCount), packed, dense);
            List<CopyLoop> others = without(copy.loops(), rows, columns);
            CopyLoop outer = longest(others);
            return new CopyNest(
                    variant.key(),
                    new CopyLoop(columnCount, columns.to(), columns.from()),
                    new CopyLoop(rowCount, rows.to(), rows.from()),
                    outer,
                    without(others, outer),
                    columnCount < side ? 0 : side,
                    rowCount < side ? 0 : Math.max(side, 64 / bytes),
                    copy.toOffset() + firstRow * rows.to() + firstColumn * columns.to(),
                    copy.fromOffset() + firstRow * rows.from() + firstColumn * columns.from());
        }
    }
}
