package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.kernels.call.DriverScratch;

/** The kernels of products of quantised matrices. */
final class IntegerKernels {
    /** The parameters of {@link PackRows}. */
    private record Rows(boolean split, boolean signed, int rest, boolean sums) {}

    private final KernelSet kernels;
    private final KernelCache<IntegerTile.Variant> tiles;
    private final KernelCache<Rows> rows;
    private final KernelCache<PackQuads.Variant> packing;
    private final DriverScratch terms = new DriverScratch();

    IntegerKernels(KernelSet kernels) {
        this.kernels = kernels;
        tiles = new KernelCache<>(kernels, IntegerTile.Variant::key);
        rows = new KernelCache<>(kernels, some -> PackRows.key(some.split(), some.signed(), some.rest(), some.sums()));
        packing = new KernelCache<>(kernels, PackQuads.Variant::key);
    }

    KernelSet set() {
        return kernels;
    }

    /** The memory for the {@link TermBlock} of a thread. */
    DriverScratch terms() {
        return terms;
    }

    CompiledKernel tile(IntegerTile.Variant variant) {
        return tiles.kernel(variant);
    }

    /**
     * Returns the kernel that packs rows of A.
     *
     * @param k the bytes in a row
     * @param sums whether the sums of rows are needed
     */
    CompiledKernel packRows(IntegerDot dot, boolean signed, long k, boolean sums) {
        return rows.kernel(new Rows(dot.isSplit(), signed, (int) (k % 4), sums));
    }

    /**
     * Returns the kernel that packs columns of B.
     *
     * @param flipped whether the highest bit of each byte is inverted
     * @param gathered whether neighbours along K are contiguous in B
     */
    CompiledKernel packFours(boolean flipped, boolean gathered) {
        var turned = flipped ? PackQuads.Turned.BYTES : PackQuads.Turned.NONE;
        return packing.kernel(new PackQuads.Variant(turned, gathered));
    }

    CompiledKernel columnTerms() {
        return kernels.kernel(ColumnTerms.key());
    }

    /** @param together the number of quads whose pairs are summed in 16 bits */
    CompiledKernel cutFours(int together) {
        return kernels.kernel(OverflowSplitKernel.key(together));
    }
}
