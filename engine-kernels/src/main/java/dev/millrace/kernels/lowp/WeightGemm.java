package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.GemmShape;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Products with weights that are stored in fewer bits than they are computed with: half precision, bfloat16, or blocks
 * of small integers. Sums are floats of 32 bits. Where a processor multiplies pairs of bfloat16, a bfloat16 A is
 * multiplied with bfloat16 weights by that instruction: the sums differ from others by rounding only, and denormals
 * count as zeros. Memory is native (heap memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class WeightGemm implements PacksWeights {
    private final WeightKernels kernels;
    private final GemmShape shape;
    private final WeightFormat format;

    public WeightGemm(KernelSet kernels, WeightFormat format) {
        this.kernels = new WeightKernels(kernels, format);
        this.format = format;
        shape = GemmShape.of(kernels.target());
    }

    private WeightPanels panels(long k, long n) {
        return WeightPanels.of(format, kernels.set().target(), k, n);
    }

    /** The size of the packed B in bytes. */
    public long packedBytes(long k, long n) {
        return panels(k, n).byteSize();
    }

    @Override
    public String packedLayout() {
        return panels(0, 0).name();
    }

    /** Packs weights in blocks, of k rows and n columns. Scales are rounded where the format has half precision. */
    public void pack(BlockedWeights weights, long k, long n, MemorySegment packed) {
        boolean fits = weights.type() == format.type()
                && weights.block() == format.block()
                && (weights.zeroPoints() != null) == format.zeros();
        if (!fits) {
            throw new IllegalArgumentException("these are products with " + format + ", not " + weights.format());
        }
        WeightPanels panels = panels(k, n);
        weights.check(panels.blocks(), n);
        checkPacked(packed, panels);
        CallChecks.writable("the packed B", packed);
        new WeightPacking(panels, packed).blocked(weights, kernels);
    }

    /** Packs weights of 16 bits, k rows of n columns. */
    public void pack(MemorySegment b, long ldb, long k, long n, MemorySegment packed) {
        CallChecks.byteMatrix("B", b, k, 2 * n, 2 * ldb);
        packHalves(b, ldb, 1, k, n, packed);
    }

    /** Packs weights of 16 bits given as their transpose: n rows of k elements. */
    public void packTransposed(MemorySegment transposed, long ldb, long k, long n, MemorySegment packed) {
        CallChecks.byteMatrix("the transpose of B", transposed, n, 2 * k, 2 * ldb);
        packHalves(transposed, 1, ldb, k, n, packed);
    }

    private void packHalves(MemorySegment b, long rowStep, long columnStep, long k, long n, MemorySegment packed) {
        if (format.type().isBlocked()) {
            throw new IllegalArgumentException("these are products with " + format + ", not of 16 bits");
        }
        WeightPanels panels = panels(k, n);
        checkPacked(packed, panels);
        CallChecks.writable("the packed B", packed);
        new WeightPacking(panels, packed).halves(b, rowStep, columnStep);
    }

    private static void checkPacked(MemorySegment packed, WeightPanels panels) {
        CallChecks.bytes("the packed B", packed, panels.byteSize());
    }

    /** The scratch memory of a product on {@code width} threads in bytes. */
    public long scratchBytes(WeightExtents extents, int width) {
        return scratch(extents).bytes(width);
    }

    private WeightScratch scratch(WeightExtents extents) {
        return WeightScratch.of(kernels, shape, panels(extents.k(), extents.n()), extents);
    }

    /**
     * Computes a product. No operand may be freed before it is done.
     *
     * @param scratch as many bytes as {@link #scratchBytes} says, for this product alone
     * @throws IllegalArgumentException if the shapes of the operands do not match
     * @throws IndexOutOfBoundsException if an operand is smaller than the product needs
     */
    public void run(WeightProduct product, MemorySegment scratch, Parallel parallel) {
        product.check();
        WeightPanels panels = panels(product.k(), product.n());
        checkPacked(product.packed(), panels);
        if (product.m() > 0 && product.n() > 0) {
            try {
                WeightScratch room = scratch(product.extents());
                CallChecks.bytes("the scratch memory", scratch, room.bytes(parallel.width()));
                new WeightRun(kernels, shape, panels, product, room, scratch).run(parallel);
            } finally {
                Reference.reachabilityFence(product);
                Reference.reachabilityFence(scratch);
            }
        }
    }
}
