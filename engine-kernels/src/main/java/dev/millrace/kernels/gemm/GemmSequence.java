package dev.millrace.kernels.gemm;

import dev.millrace.kernels.call.Parallel;
import java.util.Objects;

/**
 * The products of a batch, which the caller runs one by one and some columns at a time: for layers that do other work
 * in between. For one thread at a time; no operand may be freed while it is in use.
 */
public final class GemmSequence {
    /** The size of a sequence's scratch memory in bytes. */
    public static final long SCRATCH_BYTES = GemmTile.ARGUMENT_BYTES;

    private final GemmPart part;
    private final GemmProduct product;
    private final int panelColumns;
    private final long total;

    GemmSequence(GemmPart part, GemmProduct product, int panelColumns) {
        this.part = part;
        this.product = product;
        this.panelColumns = panelColumns;
        total = product.batch().total();
    }

    /**
     * Computes some columns of one product.
     *
     * @param index the number of the product in the batch
     * @param first the first column, a multiple of {@link Gemm#panelColumns}
     * @param end the end of the columns, another multiple or the end of the product
     */
    public void run(long index, long first, long end) {
        Objects.checkIndex(index, total);
        Objects.checkFromToIndex(first, end, product.n());
        if (first % panelColumns != 0 || end % panelColumns != 0 && end != product.n()) {
            throw new IllegalArgumentException(
                    "columns " + first + " to " + end + " are not whole panels of " + panelColumns);
        }
        part.run(index, 0, product.m(), first / panelColumns, Math.ceilDiv(end, panelColumns), Parallel.NONE);
    }
}
