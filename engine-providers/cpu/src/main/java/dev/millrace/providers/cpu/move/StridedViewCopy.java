package dev.millrace.providers.cpu.move;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * A copy between two strided views of one shape. Adjacent axes that can be walked as one are merged first. What is left
 * is cut into stripes, which may be copied side by side: of the last axis where its cells lie together, else of the plane
 * of the last axis and the one that is contiguous in the source.
 */
public final class StridedViewCopy {
    private static final long RUN_STRIPE = 1 << 16;
    private static final long PLANE_STRIPE = 32;
    private static final long GRAIN_CELLS = 1 << 14;

    private final int size;
    private final long fromStart;
    private final long toStart;
    /** The walked axes, outermost first; each with its extent and its steps on both sides. */
    private final long[] extents;

    private final long[] fromSteps;
    private final long[] toSteps;
    private final long cells;
    private final long outer;
    private final Stripe stripe;

    /** The axes inside a walk: rows (one where there is no plane) and columns, with their steps. */
    private record Stripe(
            boolean isRun,
            long rows,
            long fromRow,
            long toRow,
            long columns,
            long fromColumn,
            long toColumn,
            long perWalk) {}

    private StridedViewCopy(int size, long fromStart, long toStart, long[] extents, long[] fromSteps, long[] toSteps) {
        this.size = size;
        this.fromStart = fromStart;
        this.toStart = toStart;
        int last = extents.length - 1;
        long total = 1;
        for (long extent : extents) {
            total *= extent;
        }
        this.cells = total;
        boolean isRun = toSteps[last] == 1 && fromSteps[last] == 1;
        int rowAxis = isRun ? -1 : contiguousAxis(fromSteps, last);
        long columns = extents[last];
        if (rowAxis < 0) {
            this.stripe = new Stripe(
                    isRun,
                    1,
                    0,
                    0,
                    columns,
                    fromSteps[last],
                    toSteps[last],
                    Math.max(1, Math.ceilDiv(columns, RUN_STRIPE)));
        } else {
            long rows = extents[rowAxis];
            this.stripe = new Stripe(
                    false,
                    rows,
                    fromSteps[rowAxis],
                    toSteps[rowAxis],
                    columns,
                    fromSteps[last],
                    toSteps[last],
                    Math.max(1, Math.ceilDiv(rows, PLANE_STRIPE)));
        }
        this.extents = without(extents, rowAxis, last);
        this.fromSteps = without(fromSteps, rowAxis, last);
        this.toSteps = without(toSteps, rowAxis, last);
        long walks = 1;
        for (long extent : this.extents) {
            walks *= extent;
        }
        this.outer = walks;
    }

    private static int contiguousAxis(long[] steps, int last) {
        for (int i = last - 1; i >= 0; i--) {
            if (steps[i] == 1) {
                return i;
            }
        }
        return -1;
    }

    private static long[] without(long[] values, int a, int b) {
        long[] kept = new long[values.length];
        int n = 0;
        for (int i = 0; i < values.length; i++) {
            if (i != a && i != b) {
                kept[n++] = values[i];
            }
        }
        return Arrays.copyOf(kept, n);
    }

    /** A copy of {@code dims} cells of {@code size} bytes; starts and steps count cells, steps of the source may be negative. */
    public static StridedViewCopy of(
            int size, long[] dims, long fromStart, long[] fromSteps, long toStart, long[] toSteps) {
        long[] extents = new long[dims.length + 1];
        long[] from = new long[dims.length + 1];
        long[] to = new long[dims.length + 1];
        int n = 0;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] == 1) {
                continue;
            }
            if (n > 0 && from[n - 1] == fromSteps[i] * dims[i] && to[n - 1] == toSteps[i] * dims[i]) {
                extents[n - 1] *= dims[i];
                from[n - 1] = fromSteps[i];
                to[n - 1] = toSteps[i];
            } else {
                extents[n] = dims[i];
                from[n] = fromSteps[i];
                to[n++] = toSteps[i];
            }
        }
        if (n == 0) {
            extents[0] = 1;
            from[0] = 1;
            to[0] = 1;
            n = 1;
        }
        long pair = extents[n - 1];
        if (n > 1 && from[n - 1] == 1 && to[n - 1] == 1 && areWide(size, pair, fromStart, toStart, from, to, n - 1)) {
            return new StridedViewCopy(
                    (int) (size * pair),
                    fromStart / pair,
                    toStart / pair,
                    Arrays.copyOf(extents, n - 1),
                    divided(from, n - 1, pair),
                    divided(to, n - 1, pair));
        }
        return new StridedViewCopy(
                size, fromStart, toStart, Arrays.copyOf(extents, n), Arrays.copyOf(from, n), Arrays.copyOf(to, n));
    }

    /** Whether runs of {@code count} cells are cells of two to eight bytes themselves, at whole steps of each other. */
    private static boolean areWide(
            int size, long count, long fromStart, long toStart, long[] from, long[] to, int axes) {
        long bytes = size * count;
        boolean fits = count > 0 && bytes <= 8 && Long.bitCount(bytes) == 1;
        for (int i = 0; i < axes && fits; i++) {
            fits = from[i] % count == 0 && to[i] % count == 0;
        }
        return fits && fromStart % count == 0 && toStart % count == 0;
    }

    private static long[] divided(long[] steps, int axes, long by) {
        long[] divided = new long[axes];
        for (int i = 0; i < axes; i++) {
            divided[i] = steps[i] / by;
        }
        return divided;
    }

    /** A copy into the whole of a row-major tensor. */
    public static StridedViewCopy toWhole(int size, Shape shape, long fromStart, long[] fromSteps) {
        return of(size, shape.toArray(), fromStart, fromSteps, 0, shape.strides());
    }

    /** This copy from an input to an output of a launch. */
    public Launch launch(int input, int output) {
        if (cells == 0) {
            return context -> {};
        }
        RangeTask task =
                (context, from, to, scratch) -> run(context.input(input), context.output(output), from, to, scratch);
        long grain = Math.max(1, GRAIN_CELLS * stripes() / cells);
        return context -> context.parallelFor(stripes(), grain, task);
    }

    /** Copies everything on this thread. */
    public void run(MemorySegment from, MemorySegment to) {
        if (cells > 0) {
            run(from, to, 0, stripes(), new Scratch());
        }
    }

    private long stripes() {
        return outer * stripe.perWalk();
    }

    private void run(MemorySegment from, MemorySegment to, long first, long end, Scratch scratch) {
        int rank = extents.length;
        long[] at = scratch.longs(0, rank);
        long walk = first / stripe.perWalk();
        long part = first % stripe.perWalk();
        long source = fromStart;
        long target = toStart;
        long rest = walk;
        for (int i = rank - 1; i >= 0; i--) {
            at[i] = rest % extents[i];
            rest /= extents[i];
            source += at[i] * fromSteps[i];
            target += at[i] * toSteps[i];
        }
        for (long item = first; item < end; item++) {
            copyStripe(from, source, to, target, part);
            if (++part < stripe.perWalk()) {
                continue;
            }
            part = 0;
            for (int i = rank - 1; i >= 0; i--) {
                source += fromSteps[i];
                target += toSteps[i];
                if (++at[i] < extents[i]) {
                    break;
                }
                source -= fromSteps[i] * extents[i];
                target -= toSteps[i] * extents[i];
                at[i] = 0;
            }
        }
    }

    private void copyStripe(MemorySegment from, long source, MemorySegment to, long target, long part) {
        Stripe s = stripe;
        if (s.rows() > 1) {
            long row = part * PLANE_STRIPE;
            CellLoops.copyPlane(
                    size,
                    from,
                    source + row * s.fromRow(),
                    s.fromRow(),
                    s.fromColumn(),
                    to,
                    target + row * s.toRow(),
                    s.toRow(),
                    s.toColumn(),
                    Math.min(PLANE_STRIPE, s.rows() - row),
                    s.columns());
            return;
        }
        long column = part * RUN_STRIPE;
        long count = Math.min(RUN_STRIPE, s.columns() - column);
        if (s.isRun()) {
            CellLoops.copy(size, from, source + column, to, target + column, count);
        } else if (s.fromColumn() == 0 && s.toColumn() == 1) {
            CellLoops.fill(size, from, source, to, target + column, count);
        } else {
            CellLoops.copy(
                    size,
                    from,
                    source + column * s.fromColumn(),
                    s.fromColumn(),
                    to,
                    target + column * s.toColumn(),
                    s.toColumn(),
                    count);
        }
    }
}
