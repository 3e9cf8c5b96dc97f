package dev.millrace.kernels.expression;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.NonTemporalStores;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.rows.RowNest;
import dev.millrace.kernels.rows.RowShape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** An elementwise expression over inputs that are repeated along some dimensions. Safe for use by several threads. */
public final class BroadcastExpression {
    private final ElementwiseCall call;
    private final RowNest nest;

    /**
     * Makes the expression ready for a shape.
     *
     * @param expression of {@link Expr.Input}s 0 to n - 1
     * @param type what the results are stored as, converted if they are of another kind
     * @param extents of the output, which is dense
     * @param strides of each input, in its elements, for each dimension; 0 where it is repeated
     */
    public BroadcastExpression(
            KernelSet kernels, Expr expression, DataType type, List<Long> extents, List<List<Long>> strides) {
        this(kernels, expression, type, extents, strides, ElementwiseCall.usualStreaming(expression));
    }

    public BroadcastExpression(
            KernelSet kernels,
            Expr expression,
            DataType type,
            List<Long> extents,
            List<List<Long>> strides,
            NonTemporalStores streaming) {
        RowShape shape = RowsOfInputs.of(expression, type, extents, strides);
        RowShape merged = shape.coalesced();
        call = new ElementwiseCall(kernels, RowsOfInputs.singlesWhereRepeated(expression, merged), type, streaming);
        nest = new RowNest(merged);
    }

    /** Names the kernel, for a process that wants it later. */
    public KernelKey key() {
        return call.key();
    }

    /**
     * Computes the output. No segment may be freed before that is done.
     *
     * @param inputs an input may be {@code out} itself if it is not repeated, but must not overlap it otherwise
     */
    public void run(List<MemorySegment> inputs, MemorySegment out, Parallel parallel) {
        CallChecks.writable("the output", out);
        List<MemorySegment> segments = new ArrayList<>(inputs.size() + 1);
        segments.add(out);
        segments.addAll(inputs);
        call.run(nest, segments, parallel);
    }
}
