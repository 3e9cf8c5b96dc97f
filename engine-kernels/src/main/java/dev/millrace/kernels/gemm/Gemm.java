package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Products of fp32 matrices, C = A B, with a fused epilogue: register tiles over packed panels of B, blocked for the
 * caches in the manner of GotoBLAS (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008).
 * Strides count elements, memory is native (heap memory only where kernels are interpreted). Safe for use by several
 * threads.
 */
public final class Gemm implements PacksWeights {
    private final GemmTiles tiles;
    private final GemmPanels panels;
    private final GemmShape shape;
    private final DriverScratch scratch = new DriverScratch();

    public Gemm(KernelSet kernels) {
        this(kernels, GemmShape.of(kernels.target()));
    }

    /** Creates products with tiles and blocks of another shape than the one that suits the target. */
    public Gemm(KernelSet kernels, GemmShape shape) {
        this.tiles = new GemmTiles(kernels);
        this.panels = new GemmPanels(kernels, shape);
        this.shape = shape;
    }

    /** The size of the packed B in bytes. */
    public long packedBytes(long k, long n) {
        return panels.packedBytes(k, n);
    }

    @Override
    public String packedLayout() {
        return panels.layout();
    }

    /** Packs B, of k rows and n columns. */
    public void pack(MemorySegment b, long ldb, long k, long n, MemorySegment packed) {
        pack(Matrix.rows(b, ldb), k, n, packed);
    }

    /** Packs B, of k rows and n columns, given as its transpose: n rows of k elements. */
    public void packTransposed(MemorySegment transposed, long ldb, long k, long n, MemorySegment packed) {
        pack(Matrix.columns(transposed, ldb), k, n, packed);
    }

    /** Packs B, of k rows and n columns. */
    public void pack(Matrix b, long k, long n, MemorySegment packed) {
        CallChecks.vector("B", b.memory(), b.extent("B", k, n));
        panels.checkPacked(packed, k, n);
        CallChecks.writable("the packed B", packed);
        try {
            panels.pack(b, k, n, packed);
        } finally {
            Reference.reachabilityFence(b);
            Reference.reachabilityFence(packed);
        }
    }

    /**
     * Computes a product. No operand may be freed before it is done.
     *
     * @throws IndexOutOfBoundsException if B is packed, but smaller than the product needs
     */
    public void run(GemmProduct product, Parallel parallel) {
        checkPacked(product);
        if (product.m() > 0 && product.n() > 0 && product.batch().total() > 0) {
            try {
                new GemmRun(tiles, panels, shape, scratch, product).run(parallel);
            } finally {
                Reference.reachabilityFence(product);
            }
        }
    }

    /**
     * The bytes of private memory that {@link #bind} needs for a product over {@code k} with results of fp32.
     *
     * @param packed whether B is packed
     */
    public long ownBytes(long k, boolean packed, int threads) {
        long panel = packed ? 0 : 4L * shape.depthOf(k) * panels.columns();
        return threads * GemmRun.aligned(GemmTile.ARGUMENT_BYTES + panel);
    }

    /**
     * Binds a product that is run again and again to its operands.
     *
     * @param product a product of at least one element, with a result of fp32
     * @param own memory for this product alone, also between its runs, of {@link #ownBytes}
     * @param threads the largest width of the {@link Parallel} that runs it
     * @throws IndexOutOfBoundsException if B is packed, but smaller than the product needs, or if {@code own} is too
     *     small
     */
    public BoundGemm bind(GemmProduct product, MemorySegment own, int threads) {
        checkPacked(product);
        CallChecks.bytes("its own memory", own, threads * GemmRun.ownBytes(panels, shape, product));
        if (product.m() == 0 || product.n() == 0 || product.batch().total() == 0) {
            throw new IllegalArgumentException("a product without elements");
        }
        return new BoundGemm(new GemmRun(tiles, panels, shape, scratch, product, own, threads), product);
    }

    private void checkPacked(GemmProduct product) {
        Matrix b = product.b();
        if (b.isPacked()) {
            long distance = product.batch().last().b();
            panels.checkPacked(
                    b.memory().asSlice(Math.min(4 * distance, b.memory().byteSize())), product.k(), product.n());
        }
    }

    /** The number of columns of a panel: a {@link GemmSequence} is cut at multiples of it. */
    public int panelColumns() {
        return panels.columns();
    }

    /**
     * Returns the products of a batch, to be run one by one.
     *
     * @param product a product with a packed B and a result of fp32
     * @param scratch {@link GemmSequence#SCRATCH_BYTES}, which sequences that are not run at the same time can share;
     *     on the heap an array of bytes
     * @throws IndexOutOfBoundsException if B or the scratch are smaller than is needed
     */
    public GemmSequence sequence(GemmProduct product, MemorySegment scratch) {
        if (!product.b().isPacked() || product.epilogue().output() != Output.F32) {
            throw new IllegalArgumentException("a sequence has a packed B and a result of fp32");
        }
        checkPacked(product);
        CallChecks.bytes("the scratch", scratch, GemmSequence.SCRATCH_BYTES);
        CallChecks.writable("the scratch", scratch);
        if (scratch.heapBase().filter(base -> !(base instanceof byte[])).isPresent()) {
            throw new IllegalArgumentException("the scratch is on the heap, but no array of bytes");
        }
        return new GemmSequence(new GemmPart(tiles, panels, shape, scratch, product), product, panels.columns());
    }
}
