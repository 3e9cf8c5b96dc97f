package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * Products of matrices of bytes with sums of ints, exact to the bit (modulo 2^32), with a fused epilogue. B is packed
 * once. Memory is native (heap memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class QuantisedGemm implements PacksWeights {
    private final IntegerKernels kernels;

    public QuantisedGemm(KernelSet kernels) {
        this.kernels = new IntegerKernels(kernels);
    }

    /** The size of the packed B in bytes. */
    public long packedBytes(long k, long n) {
        return panels(k, n).byteSize();
    }

    private IntegerPanels panels(long k, long n) {
        if (k < 0 || n < 0 || k > 4L * IntegerTile.MAX_FOURS) {
            throw new IllegalArgumentException(
                    "B has " + k + " rows and " + n + " columns: up to " + 4L * IntegerTile.MAX_FOURS + " rows can be");
        }
        return IntegerPanels.of(kernels.set().target(), k, n);
    }

    @Override
    public String packedLayout() {
        return IntegerPanels.name(kernels.set().target());
    }

    /** Packs B, of k rows and n columns, with its zero points. */
    public void pack(QuantisedMatrix b, long k, long n, MemorySegment packed) {
        b.check("B", k, n, n);
        pack(b, b.stride(), 1, k, n, packed);
    }

    /** Packs B, of k rows and n columns, given as its transpose: n rows of k elements. */
    public void packTransposed(QuantisedMatrix transposed, long k, long n, MemorySegment packed) {
        transposed.check("the transpose of B", n, k, n);
        pack(transposed, 1, transposed.stride(), k, n, packed);
    }

    private void pack(QuantisedMatrix b, long rowStep, long columnStep, long k, long n, MemorySegment packed) {
        IntegerPanels panels = panels(k, n);
        checkPacked(packed, panels);
        CallChecks.writable("the packed B", packed);
        new IntegerPacking(kernels, panels, b, packed, rowStep, columnStep).pack();
    }

    private static void checkPacked(MemorySegment packed, IntegerPanels panels) {
        CallChecks.bytes("the packed B", packed, panels.byteSize());
    }

    /** Whether rows may be {@link ByteWindows} at all on this processor. */
    public boolean hasWindows() {
        return IntegerDot.hasWhole(kernels.set().target());
    }

    /** Whether the rows of a product with a packed B, of k rows and n columns, may be {@link ByteWindows}. */
    public boolean readsWindows(MemorySegment packed, long k, long n) {
        IntegerPanels panels = panels(k, n);
        boolean zeros = packed.get(ValueLayout.JAVA_INT_UNALIGNED, panels.hasZeros()) != 0;
        return !zeros && hasWindows();
    }

    /**
     * The scratch memory of a product in bytes.
     *
     * @param plain whether A has no sign, and one zero point and one scale at most, and B no zero points
     * @param width the width of the {@link Parallel} that it runs on
     */
    public long scratchBytes(long m, long k, boolean plain, int width) {
        Target target = kernels.set().target();
        IntegerDot dot = IntegerDot.of(target, PairFit.NO, m);
        boolean present = !dot.isSplit() && plain && k > 0 && k % 4 == 0;
        long rows = present ? 0 : PackedRow.bytes(m, PackedRow.stride(dot, k, target.lanes()));
        return Math.addExact(rows, dot == IntegerDot.TURNED ? QuantisedRun.wideBytes(panels(k, 0), width) : 0);
    }

    /**
     * Computes a product. No operand may be freed before it is done.
     *
     * @param scratch as many bytes as {@link #scratchBytes} says, for this product alone
     * @throws IllegalArgumentException if the shapes of the operands do not match
     * @throws IndexOutOfBoundsException if an operand is smaller than the product needs
     */
    public void run(QuantisedProduct product, MemorySegment scratch, Parallel parallel) {
        IntegerPanels panels = panels(product.k(), product.n());
        product.check();
        checkPacked(product.packed(), panels);
        QuantisedMatrix a = product.a();
        if (a.windows() != null
                && (a.signed() || !a.hasTermsForAll() || !readsWindows(product.packed(), product.k(), product.n()))) {
            throw new IllegalArgumentException(
                    "the product does not read windows: A or B has a sign or zero points that it cannot have then");
        }
        if (product.m() == 0 || product.n() == 0) {
            return;
        }
        PairFit fit = PairFit.of(product.packed(), panels);
        IntegerDot dot = IntegerDot.of(kernels.set().target(), fit, product.m());
        try {
            new QuantisedRun(kernels, panels, dot, product, scratch, parallel.width()).run(parallel);
        } finally {
            Reference.reachabilityFence(product);
            Reference.reachabilityFence(scratch);
        }
    }
}
