package dev.millrace.kernels.gemm;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * A block of a product, some rows times a part of a panel: prepares the arguments of the tiles and calls them. Values
 * that change between calls are set one by one.
 */
final class GemmBlock {
    /** Elements of B that the second-level cache holds beside the rest. */
    private static final long NEAR_ELEMENTS = 1 << 16;

    private final GemmPanels panels;
    private final GemmShape shape;
    private final GemmProduct product;
    private final Memory memory;
    private final GemmTiles.WithEpilogue unfinished;
    private final GemmTiles.WithEpilogue finished;
    private final int bytesOfC;
    private final long a;
    private final long[] operands;
    /**
     * The block of arguments of the tiles, followed by memory for a panel of B and for sums that cannot be kept in C.
     * It is a buffer, since the first write to a segment costs a process some milliseconds.
     */
    private final ByteBuffer arguments;

    private final MemorySegment block;

    private final long argumentsPointer;
    private final long panelPointer;
    private final long sumsPointer;
    private final boolean sumsWait;
    /** Whether B comes from beyond the second-level cache. */
    private final boolean isFar;

    private long offsetOfA;
    private long row;
    private long rows;
    private long k0;
    private long depth;
    private long result;
    private long firstColumn;
    private long stride;

    /** @param own memory of this block alone, of {@link #ownBytes} */
    GemmBlock(
            GemmTiles tiles,
            GemmPanels panels,
            GemmShape shape,
            MemorySegment own,
            GemmProduct product,
            Memory memory) {
        this.panels = panels;
        this.shape = shape;
        this.product = product;
        this.memory = memory;
        unfinished = tiles.with(Epilogue.NONE);
        finished = tiles.with(product.epilogue());
        bytesOfC = product.epilogue().output().bytes();
        a = memory.pointer(product.a().memory());
        operands = new long[product.operands().size()];
        for (int i = 0; i < operands.length; i++) {
            operands[i] = memory.pointer(product.operands().get(i).memory());
        }
        sumsWait = sumsWait(shape, product);
        isFar = product.b().isPacked() && product.k() * product.n() >= NEAR_ELEMENTS;
        arguments = own.asByteBuffer().order(ByteOrder.nativeOrder());
        block = own.asSlice(0, GemmTile.argumentBytes(operands.length));
        argumentsPointer = memory.pointer(own);
        panelPointer = argumentsPointer + GemmTile.ARGUMENT_BYTES;
        sumsPointer = panelPointer + panelBytes(panels, shape, product);
    }

    /**
     * The bytes of memory that a block needs. They are no more than {@link GemmTile#ARGUMENT_BYTES} where B is packed
     * and C holds the intermediate sums.
     */
    static long ownBytes(GemmPanels panels, GemmShape shape, GemmProduct product) {
        long sumsBytes = sumsWait(shape, product) ? 4L * GemmPart.ROW_BLOCK * panels.columns() : 0;
        return GemmTile.ARGUMENT_BYTES + panelBytes(panels, shape, product) + sumsBytes;
    }

    private static long panelBytes(GemmPanels panels, GemmShape shape, GemmProduct product) {
        return product.b().isPacked() ? 0 : 4L * shape.depthOf(product.k()) * panels.columns();
    }

    private static boolean sumsWait(GemmShape shape, GemmProduct product) {
        return product.epilogue().output() != Output.F32 && product.k() > shape.depthOf(product.k());
    }

    /**
     * Whether intermediate sums are kept in memory of their own, because the elements of C cannot hold them until all
     * of K is added up.
     */
    boolean sumsWait() {
        return sumsWait;
    }

    /** The address of the memory for one packed panel of B. */
    long panelPointer() {
        return panelPointer;
    }

    void startProduct(long byteOffsetOfA) {
        offsetOfA = byteOffsetOfA;
    }

    void start(long firstRow, long count, long firstOfK, long depthOfBlock) {
        row = firstRow;
        rows = count;
        k0 = firstOfK;
        depth = depthOfBlock;
    }

    void result(long pointer, GemmProduct.Part part) {
        result = pointer;
        firstColumn = part.first();
        stride = part.c().stride();
    }

    /**
     * Computes tiles of nearly equal height down some columns of one result: thirteen rows are cut into 5, 4 and 4. If
     * B is not in the near caches, the last tiles prefetch the next panel.
     *
     * @param panelCount the number of panels of B that are read side by side
     * @param right the address of the first of these columns in the first row of B
     * @param rightStride bytes between the rows of B, or 0 if they are packed to whole vectors of this width
     */
    void columns(long column, int width, int panelCount, long right, long rightStride) {
        long earlier = sumsPointer + 4 * (column % panels.columns());
        boolean last = k0 + depth >= product.k();
        boolean toSums = sumsWait && !last;
        long ldc = toSums ? 4L * panels.columns() : bytesOfC * stride;
        long c = toSums ? earlier : result + bytesOfC * (row * stride + column - firstColumn);
        int vectors = Math.ceilDiv(width, panels.lanes());
        int tail = width - (vectors - 1) * panels.lanes();
        GemmTiles.WithEpilogue tiles = last ? finished : unfinished;
        GemmTile.setSums(arguments, argumentsPointer);
        arguments.putLong(GemmTileWriter.B_STRIDE, rightStride);
        arguments.putLong(GemmTileWriter.EARLIER_STRIDE, 4L * panels.columns());
        long count = Math.ceilDiv(rows, shape.rows());
        int high = (int) Math.ceilDiv(rows, count);
        long highTiles = rows - count * (high - 1);
        boolean onlyTile = count == 1 && !product.b().isColumns();
        boolean fetchesNext = isFar && !onlyTile && rightStride == 0;
        Fetch next = Fetch.next(count);
        long fetching = fetchesNext ? count - next.tiles() : count;
        long panelBytes = 4 * depth * panels.columns();
        long done = 0;
        for (long tile = 0; tile < count; ) {
            boolean tall = tile < highTiles;
            int height = tall ? high : high - 1;
            boolean fetches = tile >= fetching;
            long end = tall ? highTiles : count;
            long here = (fetches ? end : Math.min(end, fetching)) - tile;
            long fetched = fetches ? (tile - fetching) * panelBytes / next.tiles() : 0;
            arguments.putLong(GemmTileWriter.PANEL_DISTANCE, panelBytes + fetched);
            arguments.putLong(GemmTileWriter.EARLIER, earlier + 4 * done * panels.columns());
            setOperands(row + done, column);
            CompiledKernel kernel = tiles.tile(
                    height,
                    vectors / panelCount,
                    panelCount,
                    tail < panels.lanes(),
                    product.accumulate() || k0 > 0,
                    product.a().isColumns(),
                    rightStride != 0,
                    onlyTile ? Fetch.SOON : fetches ? next : Fetch.NONE);
            kernel.call(
                    memory,
                    left(row + done),
                    right,
                    c + done * ldc,
                    Recording.arguments(block, argumentsPointer),
                    4 * product.a().stride() | ldc << 32,
                    depth | (long) tail << GemmTile.TAIL_SHIFT | here << 32);
            done += here * height;
            tile += here;
        }
    }

    private long left(long firstRow) {
        Matrix left = product.a();
        return a + offsetOfA + 4 * (left.isColumns() ? k0 * left.stride() + firstRow : firstRow * left.stride() + k0);
    }

    private void setOperands(long firstRow, long column) {
        List<EpilogueOperand> kinds = product.epilogue().operands();
        for (int i = 0; i < operands.length; i++) {
            long distance = product.operands().get(i).stride();
            long first = switch (kinds.get(i)) {
                case COLUMN -> column;
                case ROW -> firstRow;
                case ELEMENT -> firstRow * distance + column;
                case SINGLE -> 0;
            };
            int slot = EpilogueWriter.OPERANDS + i * EpilogueWriter.BYTES_PER_OPERAND;
            arguments.putLong(slot, operands[i] + 4 * first);
            arguments.putLong(slot + EpilogueWriter.STRIDE, 4 * distance);
        }
    }
}
