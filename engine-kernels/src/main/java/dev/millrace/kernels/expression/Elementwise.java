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

/** An elementwise expression over inputs of one length, as one kernel. Safe for use by several threads. */
public final class Elementwise {
    private final ElementwiseCall call;
    private final ExprInputs reads;
    private final List<RowShape.Operand> operands;
    private volatile Prepared last;

    private record Prepared(long count, RowNest nest) {}

    /** @param type what the results are stored as, converted if they are of another kind */
    public Elementwise(KernelSet kernels, Expr expression, DataType type) {
        this(kernels, expression, type, ElementwiseCall.usualStreaming(expression));
    }

    public Elementwise(KernelSet kernels, Expr expression, DataType type, NonTemporalStores streaming) {
        call = new ElementwiseCall(kernels, expression, type, streaming);
        reads = ExprInputs.of(expression);
        operands = RowShape.Operand.withInputs(
                RowShape.Operand.of("the output", type.bytes(), (long) type.bytes()),
                reads.elementBytes(),
                reads.indices(),
                List.of(1L));
        last = prepare(0);
    }

    /** Names the kernel, for a process that wants it later. */
    public KernelKey key() {
        return call.key();
    }

    private Prepared prepare(long count) {
        return new Prepared(count, new RowNest(new RowShape(List.of(count), operands, true)));
    }

    /**
     * Computes {@code out[i]} from element i of the inputs, for i below {@code count}. No segment may be freed before
     * that is done.
     *
     * @param inputs native memory (heap memory only where kernels are interpreted), one for each number up to the
     *     highest in the expression; an input may be {@code out} itself, but must not overlap it otherwise
     */
    public void run(List<MemorySegment> inputs, MemorySegment out, long count, Parallel parallel) {
        if (inputs.size() < reads.operands()) {
            throw new IllegalArgumentException(
                    key() + " reads input " + (reads.operands() - 1) + ", but " + inputs.size() + " inputs were given");
        }
        CallChecks.writable("the output", out);
        Prepared prepared = last;
        if (prepared.count() != count) {
            prepared = prepare(count);
            last = prepared;
        }
        List<MemorySegment> segments = new ArrayList<>(operands.size());
        segments.add(out);
        segments.addAll(inputs.subList(0, reads.operands()));
        call.run(prepared.nest(), segments, parallel);
    }
}
