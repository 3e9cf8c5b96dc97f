package dev.millrace.kernels.lowp;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A run of one product, whose extents were checked: packs A, cuts the work into parts for threads, and calls the tiles.
 */
final class QuantisedRun {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    /** Bytes of the rows of A that the second-level cache holds, and of the rows of C as well, where B is small. */
    private static final long ROWS_IN_CACHE = 1 << 17;

    private static final long SMALL_PANELS = 1 << 17;

    /** The multiplications of one call, beside those of a panel: about a millisecond. */
    private static final long PRODUCTS = 1L << 27;

    /** The number of tasks of rows for each thread: a thread that shares its processor with others takes fewer. */
    private static final int TASKS_OF_THREAD = 2;

    private static final int SIGN = 0x80;

    private final IntegerKernels kernels;
    private final IntegerPanels panels;
    private final IntegerDot dot;
    private final RowForm form;
    /** The rows of A as they are given, or packed. */
    private final MemorySegment rowsOfA;

    private final QuantisedProduct product;
    private final int tileRows;
    private final boolean zeros;
    private final long rowStride;
    private final @Nullable ByteWindows windows;
    /** Memory for the panels that threads expand, one after the other. */
    private final MemorySegment wide;

    /** @param scratch memory for packed rows and expanded panels */
    QuantisedRun(
            IntegerKernels kernels,
            IntegerPanels panels,
            IntegerDot dot,
            QuantisedProduct product,
            MemorySegment scratch,
            int width) {
        this.kernels = kernels;
        this.panels = panels;
        this.dot = dot;
        this.product = product;
        tileRows = dot.rows();
        windows = product.a().windows();
        zeros = product.packed().get(INT, panels.hasZeros()) != 0;
        form = form();
        boolean present = form == RowForm.GIVEN;
        rowStride = present ? product.a().stride() : PackedRow.stride(dot, panels.k(), panels.lanes());
        long packedRows = present ? 0 : PackedRow.bytes(product.m(), rowStride);
        long spread = dot == IntegerDot.TURNED ? wideBytes(panels, width) : 0;
        CallChecks.bytes("the scratch memory", scratch, packedRows + spread);
        rowsOfA = present ? product.a().data() : scratch;
        wide = scratch.asSlice(packedRows);
    }

    /** Bytes of the panels that threads expand at the same time. */
    static long wideBytes(IntegerPanels panels, int width) {
        return (width == 1 ? 1 : TASKS_OF_THREAD * width) * panels.wideBytes();
    }

    private RowForm form() {
        QuantisedMatrix a = product.a();
        if (!a.hasTermsForAll()) {
            return RowForm.EACH;
        }
        long end = (product.m() - 1) * a.stride() + 4 * panels.fours();
        boolean asGiven =
                !dot.isSplit() && !zeros && !a.signed() && end <= a.data().byteSize();
        return asGiven || a.windows() != null ? RowForm.GIVEN : RowForm.PACKED;
    }

    /**
     * Checks the positions and counts of clamped quads, since packed weights may come from a file.
     *
     * @throws IndexOutOfBoundsException if a rest or its position is out of range
     */
    private void checkCuts() {
        MemorySegment b = product.packed();
        for (long vector = 0; vector < panels.paddedColumns() / panels.lanes(); vector++) {
            int count = b.get(INT, panels.cutsOf(vector));
            int start = b.get(INT, panels.cutsOf(vector) + Integer.BYTES);
            Objects.checkFromIndexSize(start, count, panels.cuts());
            for (long number = start; number < start + count; number++) {
                long place = b.get(LONG, panels.excess(number + 1) - Long.BYTES);
                Objects.checkFromIndexSize(place, Integer.BYTES, Integer.BYTES * panels.fours());
            }
        }
    }

    void run(Parallel parallel) {
        if (dot.hasExcess()) {
            checkCuts();
        }
        long m = product.m();
        double products = (double) m * product.n() * product.k();
        int tasks = ParallelThresholds.tasks(
                products, ParallelThresholds.BYTE_PRODUCTS, product.packed().byteSize(), parallel.width());
        long count = panels.panels();
        boolean byPanels = count % tasks == 0 || count >= 4L * tasks;
        if (tasks == 1) {
            new Part(0, parallel).packAndRun(0, m);
        } else if (byPanels && m < 2 * product.n() || m < 2L * tileRows) {
            int packing =
                    (int) Math.min(m, ParallelThresholds.shares(m * product.k(), ParallelThresholds.BYTES, tasks));
            if (form != RowForm.GIVEN) {
                parallel.run(packing, task -> {
                    long first = m * task / packing;
                    packRows(first, m * (task + 1) / packing, first);
                });
            }
            int parts = (int) Math.min(tasks, count);
            parallel.run(parts, task -> new Part(task, parallel).run(count * task / parts, count * (task + 1) / parts));
        } else {
            long most = Math.max(tasks, (long) (products / ParallelThresholds.BYTE_PRODUCTS));
            int parts = (int) Math.min(most, (long) TASKS_OF_THREAD * tasks);
            parallel.run(parts, task -> new Part(task, parallel).packAndRun(m * task / parts, m * (task + 1) / parts));
        }
    }

    /** @param place the index of the first row among the packed rows */
    private void packRows(long first, long end, long place) {
        if (form == RowForm.GIVEN) {
            return;
        }
        QuantisedMatrix a = product.a();
        Memory memory = kernels.set().newMemory();
        CompiledKernel kernel = kernels.packRows(dot, a.signed(), product.k(), zeros);
        kernel.call(
                memory,
                memory.pointer(a.data()) + first * a.stride(),
                memory.pointer(rowsOfA) + place * rowStride,
                product.k() / 4,
                a.stride() | rowStride << 32,
                end - first,
                0);
        for (long row = first; row < end && form == RowForm.EACH; row++) {
            long at = (place + row - first) * rowStride;
            rowsOfA.set(INT, at + PackedRow.ZERO, a.zeroPoint(row) + (a.signed() ? SIGN : 0));
            rowsOfA.set(FLOAT, at + PackedRow.SCALE, a.scale(row));
        }
    }

    /** A range of panels, the address of their bytes, and the method by which these are multiplied. */
    private record Columns(IntegerDot dot, long first, long panels, long from) {}

    /** The work of one thread: some rows of some panels. */
    private final class Part {
        private final Memory memory = kernels.set().newMemory();
        private final Parallel parallel;
        private final long packed;
        private final long a;
        /** The block of terms. Each call overwrites it, except when calls are recorded, which need one block each. */
        private MemorySegment block;

        private long blockStart;
        private boolean written;
        private final long spread;
        private final long c;
        private final long scales;
        private final long bias;

        Part(int number, Parallel parallel) {
            this.parallel = parallel;
            packed = memory.pointer(product.packed());
            a = memory.pointer(rowsOfA);
            block = kernels.terms().atLeast(TermBlock.bytes(kernels.set().target()));
            blockStart = memory.pointer(block);
            spread = dot == IntegerDot.TURNED ? memory.pointer(wide) + number * panels.wideBytes() : 0;
            c = memory.pointer(product.c().data());
            MemorySegment scaleSegment = product.c().scales();
            MemorySegment biasSegment = product.c().bias();
            scales = scaleSegment == null ? 0 : memory.pointer(scaleSegment);
            bias = biasSegment == null ? 0 : memory.pointer(biasSegment);
        }

        /** Multiplies some panels by all rows, which have been packed unless they are read as given. */
        void run(long firstPanel, long endPanel) {
            constants();
            long most = rowsAtOnce();
            for (long row = 0; row < product.m(); row += most) {
                panels(row, Math.min(most, product.m() - row), row, firstPanel, endPanel);
            }
        }

        /**
         * Multiplies all panels by some rows. The rows of one step are packed before it, each time to the same memory.
         */
        void packAndRun(long first, long end) {
            constants();
            long most = rowsAtOnce();
            for (long row = first; row < end; row += most) {
                long rows = Math.min(most, end - row);
                packRows(row, row + rows, first);
                panels(row, rows, form == RowForm.GIVEN ? row : first, 0, panels.panels());
            }
        }

        private long rowsAtOnce() {
            long ofRow = rowStride + (panels.sums() <= SMALL_PANELS ? rowBytesOfC() : 0);
            return Math.max(ROWS_IN_CACHE / Math.max(1, ofRow), 16L * tileRows);
        }

        private long rowBytesOfC() {
            return product.n() * product.c().output().bytes();
        }

        private void constants() {
            QuantisedResult result = product.c();
            Requantisation.put(result, block, TermBlock.REQUANTISATION);
            block.set(FLOAT, TermBlock.ONE, 1);
            block.set(LONG, TermBlock.NOTHING, 0);
            MemorySegment zero = product.a().zeroPoints();
            MemorySegment scale = product.a().scales();
            block.set(LONG, TermBlock.ZERO_OF_A, zero == null ? blockStart + TermBlock.NOTHING : memory.pointer(zero));
            block.set(INT, TermBlock.SIGN_OF_A, product.a().signed() ? SIGN : 0);
            block.set(LONG, TermBlock.SCALE_OF_A, scale == null ? blockStart + TermBlock.ONE : memory.pointer(scale));
            block.set(LONG, TermBlock.FOURS, panels.fours());
            if (windows != null) {
                long fours = panels.fours() / windows.strips();
                block.set(LONG, TermBlock.STRIPS, windows.strips());
                block.set(LONG, TermBlock.FOURS_OF_STRIP, fours);
                block.set(LONG, TermBlock.STRIP_GAP, windows.stripStep() - 4 * fours);
            }
            block.set(
                    LONG,
                    TermBlock.STRIDE_OF_C,
                    result.stride() * result.output().bytes());
        }

        private void nextBlock() {
            if (written && Recording.ofThread() != null) {
                MemorySegment next = kernels.terms().atLeast(block.byteSize());
                block = next.copyFrom(block);
                blockStart = memory.pointer(block);
            }
            written = true;
        }

        private void terms(long panel) {
            nextBlock();
            long columns = 4 * panel * panels.columns();
            block.set(LONG, TermBlock.SUMS, packed + panels.sums() + columns);
            block.set(LONG, TermBlock.TURNED, packed + panels.turned() + columns);
            block.set(LONG, TermBlock.ZEROS, packed + panels.zeros() + columns);
            block.set(LONG, TermBlock.CUTS, packed + panels.cutsOf(panel * panels.vectors()));
            block.set(LONG, TermBlock.EXCESS, packed + panels.excess(0));
            block.set(LONG, TermBlock.BIAS, bias + columns);
            long count = product.c().hasScalePerColumn() ? scales + columns : scales;
            block.set(LONG, TermBlock.SCALES, scales == 0 ? blockStart + TermBlock.ONE : count);
            int tail = panels.width(panel) - (panels.vectorsOf(panel) - 1) * panels.lanes();
            block.set(LONG, TermBlock.TAIL, tail);
        }

        /**
         * Multiplies some panels. Consecutive whole panels with the same method share a call, unless rows are windows.
         *
         * @param place the index of the first row among the rows of A, packed or as given
         */
        private void panels(long row, long rows, long place, long first, long end) {
            long whole = Math.min(end, product.n() / panels.columns());
            long most = windows == null ? Math.max(1, PRODUCTS / (rows * panels.columns() * product.k() + 1)) : 1;
            for (long panel = first; panel < end; ) {
                parallel.checkCancelled();
                IntegerDot way = dotOf(panel);
                long next = panel + 1;
                while (next < Math.min(whole, panel + most) && dotOf(next) == way) {
                    next++;
                }
                terms(panel);
                Columns columns = new Columns(way, panel, next - panel, packed + panels.panel(panel));
                if (windows == null) {
                    tiles(row, rows, place, columns);
                } else {
                    lines(row, rows, columns, windows);
                }
                panel = next;
            }
        }

        private IntegerDot dotOf(long panel) {
            boolean fours = dot == IntegerDot.BYTES && product.packed().get(INT, panels.foursFit(panel)) != 0;
            return fours ? IntegerDot.FOURS : dot;
        }

        /** Calls tiles of nearly equal height, the lower ones after the others. */
        private void tiles(long row, long rows, long place, Columns columns) {
            Heights heights = Heights.of(rows, tileRows);
            block.set(LONG, TermBlock.TILES, heights.tiles());
            block.set(LONG, TermBlock.LOW_TILES, heights.low());
            block.set(LONG, TermBlock.WIDE, spread);
            kernel(columns, heights.rows(), heights.low() > 0)
                    .call(
                            memory,
                            a + place * rowStride,
                            columns.from(),
                            to(row, columns),
                            blockStart,
                            rowStride,
                            columns.panels());
        }

        /** Calls the tiles of windows line by line, since rows of several lines have no common stride. */
        private void lines(long row, long rows, Columns columns, ByteWindows windows) {
            for (long from = row; from < row + rows; ) {
                long here = Math.min(windows.line() - from % windows.line(), row + rows - from);
                Heights heights = Heights.of(here, tileRows);
                tiles(from, heights.tiles(), heights.rows(), columns, windows);
                if (heights.low() > 0) {
                    long done = heights.tiles() * heights.rows();
                    tiles(from + done, heights.low(), heights.rows() - 1, columns, windows);
                }
                from += here;
            }
        }

        private void tiles(long row, long tiles, int height, Columns columns, ByteWindows windows) {
            long start = a + windows.start(row, rowStride);
            kernel(columns, height, false)
                    .call(memory, start, columns.from(), to(row, columns), blockStart, rowStride, tiles);
        }

        private long to(long row, Columns columns) {
            QuantisedResult result = product.c();
            long column = columns.first() * panels.columns();
            return c + result.output().bytes() * (row * result.stride() + column);
        }

        private CompiledKernel kernel(Columns columns, int height, boolean low) {
            long panel = columns.first();
            QuantisedResult result = product.c();
            boolean masked = panels.width(panel) % panels.lanes() != 0;
            return kernels.tile(new IntegerTile.Variant(
                    columns.dot(),
                    form,
                    height,
                    low,
                    panels.vectorsOf(panel),
                    masked,
                    zeros,
                    result.output(),
                    result.bias() != null,
                    result.hasScalePerColumn(),
                    result.activation(),
                    windows != null,
                    result.cuts()));
        }
    }

    /**
     * A cut of rows into tiles of nearly equal height.
     *
     * @param tiles the number of tiles with {@code rows} rows
     * @param low the number of tiles with one row less
     */
    private record Heights(int rows, long tiles, long low) {
        static Heights of(long rows, int most) {
            long tiles = (rows + most - 1) / most;
            int high = (int) ((rows + tiles - 1) / tiles);
            long low = tiles * high - rows;
            return new Heights(high, tiles - low, low);
        }
    }
}
