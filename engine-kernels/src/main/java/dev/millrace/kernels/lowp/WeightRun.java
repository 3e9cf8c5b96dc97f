package dev.millrace.kernels.lowp;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.GemmShape;
import dev.millrace.kernels.gemm.GemmTile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A run of one product, whose extents were checked. A few rows, and rows that are rounded, are multiplied with weights
 * that are decoded in registers. For more rows, blocks of panels are decoded once and multiplied by the tiles of fp32
 * products. Where a processor multiplies pairs of bfloat16, tiles read both factors without conversion.
 */
final class WeightRun {
    /** The rows of a block: with its depth, the part of A that the second-level cache holds. */
    private static final long ROW_BLOCK = 192;
    /** The vector registers that the sums, totals and scales of two panels need. */
    private static final int VECTORS_OF_PAIRS = 32;

    private final WeightKernels kernels;
    private final GemmShape shape;
    private final WeightPanels panels;
    private final WeightProduct product;
    private final WeightScratch room;
    private final MemorySegment scratch;
    private final int elementsOfWord;
    private final Epilogue epilogue;

    /** @param scratch memory in the layout of {@link WeightScratch} */
    WeightRun(
            WeightKernels kernels,
            GemmShape shape,
            WeightPanels panels,
            WeightProduct product,
            WeightScratch room,
            MemorySegment scratch) {
        this.kernels = kernels;
        this.shape = shape;
        this.panels = panels;
        this.product = product;
        this.room = room;
        this.scratch = scratch;
        elementsOfWord = room.pairs() ? 2 : 1;
        epilogue = Epilogue.of(product.bias() != null, product.activation());
    }

    void run(Parallel parallel) {
        long m = product.m();
        long work = m * product.n() * product.k();
        int tasks = ParallelThresholds.shares(work, ParallelThresholds.SLOW_PRODUCTS, parallel.width());
        if (room.copyA()) {
            inParts(parallel, tasks, m * product.k(), this::rowsIn);
        }
        if (room.rounded()) {
            inParts(parallel, tasks, m * product.k(), this::rowsRounded);
        }
        long count = panels.panels();
        if (count >= tasks && (count % tasks == 0 || count >= 4L * tasks) || m < tasks) {
            int parts = (int) Math.min(tasks, count);
            parallel.run(parts, task -> part(task, 0, m, count * task / parts, count * (task + 1) / parts, parallel));
        } else {
            parallel.run(tasks, task -> part(task, m * task / tasks, m * (task + 1) / tasks, 0, count, parallel));
        }
        if (room.copyC()) {
            inParts(parallel, tasks, m * product.n(), this::rowsOut);
        }
    }

    private interface Rows {
        void of(long first, long end);
    }

    private void inParts(Parallel parallel, int tasks, long floats, Rows rows) {
        long m = product.m();
        int parts = (int) Math.min(m, ParallelThresholds.shares(floats, ParallelThresholds.ELEMENTS, tasks));
        parallel.run(parts, task -> rows.of(m * task / parts, m * (task + 1) / parts));
    }

    private void rowsIn(long first, long end) {
        FloatType type = product.typeOfA();
        long k = product.k();
        long count = k * room.typeOfRows().bytes();
        long rowBytes = room.rowBytesOfCopy();
        for (long row = first; row < end && count < rowBytes; row++) {
            Recording.clear(scratch.asSlice(row * rowBytes + count, rowBytes - count));
        }
        Memory memory = kernels.set().newMemory();
        long stride = product.lda() * type.bytes();
        long from = memory.pointer(product.a()) + first * stride;
        long to = memory.pointer(scratch) + first * rowBytes;
        kernels.convert(type, room.typeOfRows()).call(memory, to, from, k, rowBytes, stride, end - first);
    }

    private void rowsRounded(long first, long end) {
        Memory memory = kernels.set().newMemory();
        long stride = room.copyA() ? room.rowBytesOfCopy() : Float.BYTES * product.lda();
        long from = memory.pointer(room.copyA() ? scratch : product.a());
        long to = memory.pointer(scratch) + room.offsetOfRounded();
        CompiledKernel round = kernels.round();
        for (long row = first; row < end; row++) {
            round.call(memory, from + row * stride, to + row * room.rowBytesOfRounded(), panels.blocks(), 0, 0, 0);
        }
    }

    private void rowsOut(long first, long end) {
        FloatType type = product.typeOfC();
        long n = product.n();
        Memory memory = kernels.set().newMemory();
        long stride = product.ldc() * type.bytes();
        long from = memory.pointer(scratch) + room.offsetOfC() + 4 * first * n;
        long to = memory.pointer(product.c()) + first * stride;
        kernels.convert(FloatType.F32, type).call(memory, to, from, n, stride, 4 * n, end - first);
    }

    /** Computes some rows of some panels on one thread. */
    private void part(int number, long firstRow, long endRow, long firstPanel, long endPanel, Parallel parallel) {
        Part part = new Part(number, parallel);
        if (room.rowByRow()) {
            part.rowByRow(firstRow, endRow, firstPanel, endPanel);
        } else {
            part.tiles(firstRow, endRow, firstPanel, endPanel);
        }
    }

    private final class Part {
        private final Memory memory = kernels.set().newMemory();
        private final Parallel parallel;
        private final long a;
        private final long rowBytesOfA;
        private final long packed;
        private final long c;
        private final long rowBytesOfC;
        private final long bias;
        private final MemorySegment arguments;
        private final long argumentsPointer;
        private final long decoded;

        Part(int number, Parallel parallel) {
            this.parallel = parallel;
            long own = memory.pointer(scratch);
            if (room.rounded()) {
                a = own + room.offsetOfRounded();
                rowBytesOfA = room.rowBytesOfRounded();
            } else {
                a = room.copyA() ? own : memory.pointer(product.a());
                rowBytesOfA =
                        room.copyA() ? room.rowBytesOfCopy() : room.typeOfRows().bytes() * product.lda();
            }
            c = room.copyC() ? own + room.offsetOfC() : memory.pointer(product.c());
            rowBytesOfC = 4 * (room.copyC() ? product.n() : product.ldc());
            packed = memory.pointer(product.packed());
            MemorySegment source = product.bias();
            bias = source == null ? 0 : memory.pointer(source);
            MemorySegment whole = kernels.arguments().atLeast(GemmTile.ARGUMENT_BYTES);
            arguments = whole.asSlice(0, GemmTile.argumentBytes(1));
            argumentsPointer = memory.pointer(whole);
            GemmTile.setSums(whole.asByteBuffer().order(ByteOrder.nativeOrder()), argumentsPointer);
            decoded = own + room.offsetOfDecoded() + number * room.decodedBytes();
        }

        private int tail(long panel) {
            return panels.width(panel) - (panels.vectorsOf(panel) - 1) * panels.lanes();
        }

        private long biasOf(long column) {
            return bias == 0 ? 0 : bias + 4 * column;
        }

        void rowByRow(long firstRow, long endRow, long firstPanel, long endPanel) {
            boolean mayPair = room.rounded() && endRow - firstRow == 1 && hasRoomForPairs();
            int together;
            for (long panel = firstPanel; panel < endPanel; panel += together) {
                together = mayPair && panel + 1 < endPanel && panels.vectorsOf(panel + 1) == panels.vectors() ? 2 : 1;
                long column = panel * panels.columns();
                parallel.checkCancelled();
                for (long row = firstRow; row < endRow; row++) {
                    kernels.row(panels.vectorsOf(panel), together, room.rounded(), bias != 0, product.activation())
                            .call(
                                    memory,
                                    a + row * rowBytesOfA,
                                    packed + panels.panel(panel),
                                    c + row * rowBytesOfC + 4 * column,
                                    biasOf(column),
                                    panels.blocks(),
                                    tail(panel + together - 1));
                }
            }
        }

        /**
         * Whether the sums of two panels fit the vector registers. A processor prefetches each of two panels by itself, so a
         * single row, which reads all weights once, is read faster from two than from one.
         */
        private boolean hasRoomForPairs() {
            return kernels.set().target().vectors() >= VECTORS_OF_PAIRS;
        }

        /**
         * Computes tiles block by block along K, whose depth counts words. A product with K = 0 still has its epilogue:
         * it is computed as one block of depth 0.
         */
        void tiles(long firstRow, long endRow, long firstPanel, long endPanel) {
            long words = Math.ceilDiv(product.k(), elementsOfWord);
            long k0 = 0;
            do {
                long depth = Math.min(shape.depth(), words - k0);
                for (long row = firstRow; row < endRow; row += ROW_BLOCK) {
                    long rows = Math.min(ROW_BLOCK, endRow - row);
                    for (long panel = firstPanel; panel < endPanel; panel++) {
                        parallel.checkCancelled();
                        column(row, rows, panel, right(panel, k0, depth), k0, depth);
                    }
                }
                k0 += depth;
            } while (k0 < words);
        }

        /** Returns the address of the rows of a panel for tiles: of the packed pairs, or of the decoded weights. */
        private long right(long panel, long k0, long depth) {
            int block = panels.format().block() / elementsOfWord;
            long from = packed + panels.panel(panel) + k0 / block * panels.blockBytes(panel);
            if (room.pairs()) {
                return from;
            }
            long blocks = (depth + block - 1) / block;
            kernels.decode(panels.vectorsOf(panel)).call(memory, from, decoded, blocks, 0, 0, 0);
            return decoded;
        }

        /** Computes tiles of nearly equal height down one panel. */
        private void column(long row, long rows, long panel, long right, long k0, long depth) {
            long count = (rows + shape.rows() - 1) / shape.rows();
            int high = (int) ((rows + count - 1) / count);
            long lowTiles = count * high - rows;
            long highTiles = count - lowTiles;
            tile(row, highTiles, high, panel, right, k0, depth);
            if (lowTiles > 0) {
                tile(row + highTiles * high, lowTiles, high - 1, panel, right, k0, depth);
            }
        }

        private void tile(long row, long count, int height, long panel, long right, long k0, long depth) {
            int tail = tail(panel);
            long column = panel * panels.columns();
            boolean last = (k0 + depth) * elementsOfWord >= product.k();
            Epilogue finish = last ? epilogue : Epilogue.NONE;
            arguments.set(ValueLayout.JAVA_LONG_UNALIGNED, GemmTile.OPERANDS, biasOf(column));
            int vectors = panels.vectorsOf(panel);
            boolean masked = tail < panels.lanes();
            CompiledKernel tile = room.pairs()
                    ? kernels.pairTile(height, vectors, masked, k0 > 0, product.m() <= shape.rows(), finish)
                    : kernels.tile(height, vectors, masked, k0 > 0, finish);
            tile.call(
                    memory,
                    a + row * rowBytesOfA + 4 * k0,
                    right,
                    c + row * rowBytesOfC + 4 * column,
                    Recording.arguments(arguments, argumentsPointer),
                    rowBytesOfA | rowBytesOfC << 32,
                    depth | (long) tail << GemmTile.TAIL_SHIFT | count << 32);
        }
    }
}
