package dev.millrace.kernels;

import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.gemm.GemmPack;
import dev.millrace.kernels.gemm.GemmShape;
import dev.millrace.kernels.program.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * Products of fp32 matrices, C = A B, with what follows them fused. B is packed once. Matrices are row-major, strides
 * count elements, memory is native (heap memory only where kernels are interpreted). Safe for use by several threads.
 *
 * <p>Packed, B is cut into blocks of {@link GemmShape#depth} rows, each into panels as wide as a tile, each of them
 * stored row by row; the last panel is as many whole vectors wide as it needs, filled up with zeros.
 */
public final class Gemm {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final KernelSet kernels;
    private final GemmTiles tiles;
    private final GemmShape shape;

    Gemm(KernelSet kernels, GemmShape shape) {
        this.kernels = kernels;
        this.tiles = new GemmTiles(kernels);
        this.shape = shape;
    }

    /** What B needs packed, in bytes. */
    public long packedBytes(long k, long n) {
        return Math.multiplyExact(Math.multiplyExact(4L, k), paddedColumns(n));
    }

    /** Names the layout of packed matrices: packed bytes are good only where the layout is the same. */
    public String packedLayout() {
        return "f32 depth " + shape.depth() + " panel " + panelColumns() + " vector " + lanes();
    }

    private int lanes() {
        return kernels.target().lanes();
    }

    private int panelColumns() {
        return shape.vectors() * lanes();
    }

    private long paddedColumns(long n) {
        return Math.addExact(n, lanes() - 1) / lanes() * lanes();
    }

    private int vectorsOf(long panelWidth) {
        return (int) ((panelWidth + lanes() - 1) / lanes());
    }

    private int tailOf(long panelWidth) {
        return (int) (panelWidth - (long) (vectorsOf(panelWidth) - 1) * lanes());
    }

    /** Packs B, of k rows and n columns. */
    public void pack(MemorySegment b, long ldb, long k, long n, MemorySegment packed) {
        Extents.matrix("B", b, k, n, ldb);
        checkPacked(packed, k, n);
        Extents.writable("the packed B", packed);
        try {
            packPanels(b, ldb, k, n, packed);
        } finally {
            Reference.reachabilityFence(b);
            Reference.reachabilityFence(packed);
        }
    }

    private void packPanels(MemorySegment b, long ldb, long k, long n, MemorySegment packed) {
        Memory memory = kernels.newMemory();
        long from = memory.pointer(b);
        long to = memory.pointer(packed);
        for (long k0 = 0; k0 < k; k0 += shape.depth()) {
            long rows = Math.min(shape.depth(), k - k0);
            for (long j = 0; j < n; j += panelColumns()) {
                long width = Math.min(panelColumns(), n - j);
                int vectors = vectorsOf(width);
                kernels.kernel(GemmPack.key(vectors))
                        .call(memory, from + 4 * (k0 * ldb + j), to, rows, 4 * ldb, tailOf(width), 0);
                to += 4 * rows * vectors * lanes();
            }
        }
    }

    /** Packs B, of k rows and n columns, given as its transpose: n rows of k elements. */
    public void packTransposed(MemorySegment transposed, long ldb, long k, long n, MemorySegment packed) {
        Extents.matrix("the transpose of B", transposed, n, k, ldb);
        checkPacked(packed, k, n);
        long to = 0;
        for (long k0 = 0; k0 < k; k0 += shape.depth()) {
            long rows = Math.min(shape.depth(), k - k0);
            for (long j0 = 0; j0 < n; j0 += panelColumns()) {
                long columns = (long) vectorsOf(Math.min(panelColumns(), n - j0)) * lanes();
                for (long j = 0; j < columns; j++) {
                    for (long row = 0; row < rows; row++) {
                        float value = j0 + j < n ? transposed.get(FLOAT, 4 * ((j0 + j) * ldb + k0 + row)) : 0;
                        packed.set(FLOAT, to + 4 * (row * columns + j), value);
                    }
                }
                to += 4 * rows * columns;
            }
        }
    }

    private void checkPacked(MemorySegment packed, long k, long n) {
        Extents.vector("the packed B", packed, packedBytes(k, n) / 4);
    }

    /**
     * Computes a product. No operand may be freed before it is done.
     *
     * @throws IllegalArgumentException if the operands do not fit together
     * @throws IndexOutOfBoundsException if an operand is smaller than the product needs
     */
    public void run(GemmProduct product, Parallel parallel) {
        product.check();
        checkPacked(product.packed(), product.k(), product.n());
        if (product.m() > 0 && product.n() > 0) {
            try {
                new GemmRun(tiles, shape, product).run(parallel);
            } finally {
                Reference.reachabilityFence(product);
            }
        }
    }
}
