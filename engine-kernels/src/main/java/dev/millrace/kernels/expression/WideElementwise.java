package dev.millrace.kernels.expression;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.rows.RowNest;
import dev.millrace.kernels.rows.RowShape;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A function of two inputs of numbers of 64 bits that are repeated along some dimensions. Safe for use by several threads.
 */
public final class WideElementwise {
    private final KernelSet kernels;
    private final KernelKey key;
    private final CompiledKernel kernel;
    private final RowNest nest;

    /**
     * Makes the function ready for a shape.
     *
     * @param type of the inputs, and of the output where it has no truths
     * @param extents of the output, which is dense
     * @param strides of each input, in its elements, for each dimension; 0 where it is repeated
     */
    public WideElementwise(
            KernelSet kernels, WideFunction function, NumberType type, List<Long> extents, List<List<Long>> strides) {
        if (!function.takes(type)) {
            throw new IllegalArgumentException("there is no " + function + " of " + type);
        }
        this.kernels = kernels;
        long bytes = function.isComparison() ? 1 : Long.BYTES;
        RowShape shape = RowsOfInputs.of(bytes, extents, List.of((long) Long.BYTES, (long) Long.BYTES), strides)
                .coalesced();
        key = WideRows.key(function, type, isSingle(shape, 1), isSingle(shape, 2));
        kernel = kernels.kernel(key);
        nest = new RowNest(shape);
    }

    private static boolean isSingle(RowShape shape, int operand) {
        return shape.operands().get(operand).strides().getLast() == 0;
    }

    /** Names the kernel, for a process that wants it later. */
    public KernelKey key() {
        return key;
    }

    /**
     * Computes the output. No segment may be freed before that is done.
     *
     * @param left native memory (heap memory only where kernels are interpreted), as the others
     * @param out may be an input that is not repeated, if it has numbers as those; it overlaps none otherwise
     */
    public void run(MemorySegment left, MemorySegment right, MemorySegment out, Parallel parallel) {
        CallChecks.writable("the output", out);
        List<MemorySegment> segments = List.of(out, left, right);
        nest.check(segments);
        nest.run(kernels, kernel, segments, parallel);
    }
}
