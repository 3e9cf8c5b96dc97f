package dev.millrace.kernels.norm;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.norm.NormRows.Argument;
import dev.millrace.kernels.rows.RowPartitioner;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The normalisation of rows of fp32 numbers to a mean of 0 and a deviation of 1, or by their root mean square. Memory
 * is native (heap memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class RowNorm {
    private final KernelSet kernels;
    private final NormRows.Variant variant;
    private final float epsilon;
    private final CompiledKernel kernel;
    private final DriverScratch blocks = new DriverScratch();

    public RowNorm(KernelSet kernels, NormRows.Variant variant, float epsilon) {
        this.kernels = kernels;
        this.variant = variant;
        this.epsilon = epsilon;
        kernel = kernels.kernel(variant.key());
    }

    /**
     * The operands of a normalisation. An operand is given if and only if the variant has it. Operands that are written
     * overlap no other, unless a parameter says that they may be another.
     *
     * @param out the results; may be {@code in}, {@code skip} or {@code sum}
     * @param skip the rows that are added to the input first
     * @param sum the destination of these sums; may be {@code in}, {@code skip} or {@code out}
     * @param scale a number for each element of a row
     * @param bias a number for each element of a row
     * @param means the destination of the mean of each row, if means are computed
     * @param deviations the destination of the reciprocal of each row's deviation
     */
    public record Operands(
            MemorySegment in,
            MemorySegment out,
            @Nullable MemorySegment skip,
            @Nullable MemorySegment sum,
            @Nullable MemorySegment scale,
            @Nullable MemorySegment bias,
            @Nullable MemorySegment means,
            @Nullable MemorySegment deviations) {
        public static Operands of(MemorySegment in, MemorySegment out) {
            return new Operands(in, out, null, null, null, null, null, null);
        }

        public Operands scaledBy(@Nullable MemorySegment factors, @Nullable MemorySegment added) {
            return new Operands(in, out, skip, sum, factors, added, means, deviations);
        }

        public Operands after(MemorySegment other, MemorySegment sumOfBoth) {
            return new Operands(in, out, other, sumOfBoth, scale, bias, means, deviations);
        }

        public Operands keeping(@Nullable MemorySegment rowMeans, MemorySegment rowDeviations) {
            return new Operands(in, out, skip, sum, scale, bias, rowMeans, rowDeviations);
        }
    }

    /** Normalises dense rows. No operand may be freed before that is done. */
    public void run(Operands operands, long rows, long count, Parallel parallel) {
        bind(operands, rows, count).accept(parallel);
    }

    /** Binds rows in memory that stays at its address, to be normalised again and again. */
    public Consumer<Parallel> bind(Operands operands, long rows, long count) {
        check(operands, rows, count);
        return new Bound(operands, rows, count);
    }

    /** Rows that were checked, to be normalised again and again. */
    private final class Bound implements Consumer<Parallel>, RowPartitioner.Rows {
        private final Operands operands;
        private final long rows;
        private final long count;

        private Bound(Operands operands, long rows, long count) {
            this.operands = operands;
            this.rows = rows;
            this.count = count;
        }

        /** Normalises all rows. No operand may be freed before that is done. */
        @Override
        public void accept(Parallel parallel) {
            if (rows == 0 || count == 0) {
                return;
            }
            try {
                RowPartitioner.run(rows, count, parallel, this);
            } finally {
                Reference.reachabilityFence(operands);
            }
        }

        /** Normalises some of the rows on one thread. */
        @Override
        public void run(long first, long share) {
            part(operands, first, share, count);
        }
    }

    private void check(Operands operands, long rows, long count) {
        if (rows < 0 || count < 0) {
            throw new IllegalArgumentException("there are no " + rows + " rows of " + count + " elements");
        }
        long elements = Math.multiplyExact(rows, count);
        boolean skips = variant.skip();
        boolean keeps = variant.stats();
        var used = new NormOperands();
        used.rows("the input", operands.in(), true, false, elements);
        used.rows("the output", operands.out(), true, true, elements);
        used.rows("what is added", operands.skip(), skips, false, elements);
        used.rows("the sum", operands.sum(), skips, true, elements);
        used.numbers("the scale", operands.scale(), variant.scale(), false, count);
        used.numbers("the bias", operands.bias(), variant.bias(), false, count);
        used.numbers("the means", operands.means(), keeps && variant.centred(), true, rows);
        used.numbers("the deviations", operands.deviations(), keeps, true, rows);
        used.checkOverlaps();
    }

    private void part(Operands operands, long first, long rows, long count) {
        Memory memory = kernels.newMemory();
        MemorySegment block = blocks.atLeast(Argument.BYTES);
        long offset = 4 * first * count;
        put(block, Argument.IN, pointer(memory, operands.in(), offset));
        put(block, Argument.OUT, pointer(memory, operands.out(), offset));
        put(block, Argument.SKIP, pointer(memory, operands.skip(), offset));
        put(block, Argument.SUM, pointer(memory, operands.sum(), offset));
        put(block, Argument.SCALE, pointer(memory, operands.scale(), 0));
        put(block, Argument.BIAS, pointer(memory, operands.bias(), 0));
        put(block, Argument.MEANS, pointer(memory, operands.means(), 4 * first));
        put(block, Argument.DEVIATIONS, pointer(memory, operands.deviations(), 4 * first));
        put(block, Argument.ROWS, rows);
        put(block, Argument.COUNT, count);
        put(block, Argument.EPSILON, Float.floatToRawIntBits(epsilon));
        put(block, Argument.LENGTH, Float.floatToRawIntBits((float) count));
        kernel.call(memory, memory.pointer(block), 0, 0, 0, 0, 0);
        Reference.reachabilityFence(block);
    }

    private static long pointer(Memory memory, @Nullable MemorySegment segment, long offset) {
        return segment == null ? 0 : memory.pointer(segment) + offset;
    }

    private static void put(MemorySegment block, Argument argument, long value) {
        block.set(ValueLayout.JAVA_LONG, argument.offset(), value);
    }
}
