package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprInputs;
import dev.millrace.kernels.reduce.ReduceOp.After;
import dev.millrace.kernels.reduce.ReduceOp.Before;
import dev.millrace.kernels.rows.RowNest;
import dev.millrace.kernels.rows.RowShape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The reduction of an elementwise expression along the rows of its inputs, in one pass: its values are never in memory.
 * Safe for use by several threads.
 */
public final class ExpressionReduction {
    /**
     * Numbers of a row that one kernel reduces. Longer rows are cut into parts, for threads and for smaller rounding
     * errors.
     */
    private static final long PART = 8192;

    private final KernelSet kernels;
    private final KernelKey key;
    private final CompiledKernel kernel;
    private final ExprInputs reads;
    private final long rows;
    private final long columns;
    private final long parts;
    /** All parts except a shorter one at the end of each row, and that one. */
    private final RowNest whole;

    private final RowNest rest;
    private final @Nullable Reduction ofParts;
    private final @Nullable FinishCall finish;

    /**
     * @param type the type of the results, to which values are converted: floats, or ints, whose sums wrap around
     * @param op any but the logarithm of a sum of exponentials; for ints one that is defined for all numbers
     * @param rows rows of the inputs, one result each
     * @param columns columns of the inputs, whose rows are dense
     */
    public ExpressionReduction(
            KernelSet kernels, Expr expression, ReduceOp op, DataType type, long rows, long columns) {
        boolean suits = type == DataType.F32
                ? op.before() != Before.EXP
                : type == DataType.S32 && op.isOfAllNumbers() && op.after() == After.NONE;
        if (!suits) {
            throw new IllegalArgumentException("there is no " + op + " of an expression as " + type);
        }
        if (rows < 0 || columns < 0) {
            throw new IllegalArgumentException("an input has " + rows + " rows and " + columns + " columns");
        }
        this.kernels = kernels;
        this.rows = rows;
        this.columns = columns;
        NumberType numbers = type == DataType.F32 ? NumberType.F32 : NumberType.S32;
        key = ReduceExpression.key(expression, new ReduceSteps.Kind(numbers, op.combine(), op.before()));
        kernel = kernels.kernel(key);
        reads = ExprInputs.of(expression);
        long full = columns / PART;
        parts = Math.max(1, Math.ceilDiv(columns, PART));
        whole = nest(full, PART);
        rest = nest(parts - full, columns % PART);
        ReduceOp combined = ReduceOp.of(op.combine());
        ofParts = parts > 1 ? new Reduction(kernels, combined, numbers, new long[] {rows, parts}, 1) : null;
        finish = op.after() == After.NONE ? null : new FinishCall(kernels, op.after(), NumberType.F32, columns);
    }

    /** Returns a nest over {@code count} parts of each row. */
    private RowNest nest(long count, long length) {
        long bytes = Float.BYTES;
        var result = RowShape.Operand.of("the result of the reduction", bytes, bytes * parts, bytes, 0L);
        List<RowShape.Operand> operands = RowShape.Operand.withInputs(
                result, reads.elementBytes(), reads.indices(), List.of(columns, length, 1L));
        return new RowNest(new RowShape(List.of(rows, count, length), operands, false));
    }

    /** The key of the kernel, for a process that prepares it later. */
    public KernelKey key() {
        return key;
    }

    private long partialBytes() {
        return Math.multiplyExact(Float.BYTES * parts, rows);
    }

    /** The scratch memory of a run in bytes. */
    public long scratchBytes() {
        return ofParts == null ? 0 : Math.addExact(partialBytes(), ofParts.scratchBytes());
    }

    /**
     * Computes a number for each row. No segment may be freed before that is done.
     *
     * @param inputs native memory (heap memory only where kernels are interpreted), as all others; one for each number
     *     up to the highest in the expression
     * @param scratch {@link #scratchBytes} of memory, for this run alone
     * @throws IndexOutOfBoundsException if a segment is too short
     * @throws IllegalArgumentException if segments that are written overlap others
     */
    public void run(List<MemorySegment> inputs, MemorySegment out, MemorySegment scratch, Parallel parallel) {
        check(inputs, out, scratch);
        MemorySegment partial = ofParts == null ? out : scratch.asSlice(0, partialBytes());
        long full = columns / PART;
        if (full > 0) {
            run(whole, inputs, partial, 0, 0, parallel);
        }
        if (full < parts) {
            run(rest, inputs, partial, full, full * PART, parallel);
        }
        if (ofParts != null) {
            ofParts.run(partial, out, scratch.asSlice(partial.byteSize()), parallel);
        }
        if (finish != null) {
            finish.run(out, out, null, rows);
        }
    }

    private void check(List<MemorySegment> inputs, MemorySegment out, MemorySegment scratch) {
        if (inputs.size() < reads.operands()) {
            throw new IllegalArgumentException(
                    key + " reads input " + (reads.operands() - 1) + ", but " + inputs.size() + " inputs were given");
        }
        CallChecks.writable("the result of the reduction", out);
        CallChecks.vector("the result of the reduction", out, rows);
        CallChecks.bytes("the scratch memory of the reduction", scratch, scratchBytes());
        CallChecks.apart("the scratch memory of the reduction", scratch, "its result", out);
        for (int i = 0; i < reads.operands(); i++) {
            CallChecks.apart("the result of the reduction", out, "input " + i, inputs.get(i));
            CallChecks.apart("the scratch memory of the reduction", scratch, "input " + i, inputs.get(i));
        }
        for (Expr.Input input : reads.inputs()) {
            long bytes = Math.multiplyExact(
                    Math.multiplyExact(rows, columns), input.type().bytes());
            CallChecks.bytes("input " + input.index(), inputs.get(input.index()), bytes);
        }
    }

    /** Reduces some parts of each row, from a column on. */
    private void run(
            RowNest nest,
            List<MemorySegment> inputs,
            MemorySegment partial,
            long firstPart,
            long firstColumn,
            Parallel parallel) {
        List<MemorySegment> segments = new ArrayList<>();
        segments.add(rows == 0 ? partial : partial.asSlice(Float.BYTES * firstPart));
        segments.addAll(inputs.subList(0, reads.operands()));
        for (Expr.Input input : reads.inputs()) {
            MemorySegment all = inputs.get(input.index());
            long from = Math.min(all.byteSize(), firstColumn * input.type().bytes());
            segments.set(1 + input.index(), all.asSlice(from));
        }
        nest.check(segments);
        nest.run(kernels, kernel, segments, parallel);
    }
}
