package dev.millrace.kernels.rows;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.List;

/**
 * The rows of some operands of one shape, ready for a kernel that {@link RowLoops} wrote. Neighbouring dimensions that
 * are one in all operands become one. Safe for use by several threads.
 */
public final class RowNest {
    /** Parts of a row start at a multiple of this, so that no two threads write to the same cache line. */
    private static final long GRAIN = 64;

    private final RowShape shape;
    private final long[] extras;
    private final CallBlocks blocks;

    /** @param extras numbers for the kernel */
    public RowNest(RowShape shape, long... extras) {
        this.shape = shape.coalesced();
        this.extras = extras.clone();
        blocks = new CallBlocks(RowBlock.extra(shape.operands().size(), extras.length));
    }

    /**
     * Checks that all rows lie inside of their operands.
     *
     * @throws IndexOutOfBoundsException if not
     */
    public void check(List<MemorySegment> segments) {
        for (int i = 0; i < segments.size(); i++) {
            CallChecks.bytes(shape.operands().get(i).name(), segments.get(i), shape.bytes(i));
        }
    }

    /** The bytes from the first element of an operand to the end of the last. */
    public long bytes(int operand) {
        return shape.bytes(operand);
    }

    /** Whether all rows of an operand begin multiples of so many bytes from its start. */
    public boolean rowsAreMultiplesOf(int operand, int bytes) {
        for (int i = 0; i < shape.dimensions(); i++) {
            if (shape.extent(i) > 1 && shape.stride(operand, i) % bytes != 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Calls a kernel for all rows.
     *
     * @param segments in the order of the operands, checked before
     */
    public void run(KernelSet kernels, CompiledKernel kernel, List<MemorySegment> segments, Parallel parallel) {
        if (shape.isEmpty()) {
            return;
        }
        int tasks = ParallelThresholds.tasks(shape.work(), ParallelThresholds.ELEMENTS, parallel.width());
        int dimension = tasks == 1 ? 0 : shape.dimensionToSplit(tasks);
        long extent = shape.extent(dimension);
        long grain = dimension == shape.dimensions() ? GRAIN : 1;
        long each = Math.ceilDiv(Math.ceilDiv(extent, tasks), grain) * grain;
        int parts = tasks == 1 ? 1 : (int) Math.ceilDiv(extent, each);
        if (parts == 1) {
            new Part(kernels, kernel, segments, 0, 0, extent).run();
        } else {
            parallel.run(parts, part -> {
                long from = part * each;
                new Part(kernels, kernel, segments, dimension, from, Math.min(extent, from + each)).run();
            });
        }
        Reference.reachabilityFence(segments);
    }

    /** Some of the rows, or some of each row, on one thread. */
    private final class Part {
        private final Memory memory;
        private final CompiledKernel kernel;
        private final int split;
        private final long extentOfSplit;
        private final long[] pointers;

        Part(KernelSet kernels, CompiledKernel kernel, List<MemorySegment> segments, int split, long from, long to) {
            this.kernel = kernel;
            this.split = split;
            memory = kernels.newMemory();
            extentOfSplit = to - from;
            pointers = new long[segments.size()];
            for (int i = 0; i < pointers.length; i++) {
                pointers[i] = memory.pointer(segments.get(i)) + from * shape.stride(i, split);
            }
        }

        private long extent(int dimension) {
            return dimension == split ? extentOfSplit : shape.extent(dimension);
        }

        void run() {
            MemorySegment block = blocks.take();
            fill(block);
            over(block, memory.pointer(block), shape.dimensions() - RowShape.IN_KERNEL);
            blocks.give(block);
        }

        private void fill(MemorySegment block) {
            int last = shape.dimensions();
            set(block, RowBlock.COUNT, extent(last));
            set(block, RowBlock.ROWS, extent(last - 1));
            set(block, RowBlock.PLANES, extent(last - 2));
            for (int i = 0; i < pointers.length; i++) {
                long row = shape.stride(i, last - 1);
                set(block, RowBlock.rowStride(pointers.length, i), row);
                set(block, RowBlock.planeStep(pointers.length, i), shape.stride(i, last - 2) - extent(last - 1) * row);
            }
            for (int i = 0; i < extras.length; i++) {
                set(block, RowBlock.extra(pointers.length, i), extras[i]);
            }
        }

        private static void set(MemorySegment block, long at, long value) {
            block.set(ValueLayout.JAVA_LONG, at, value);
        }

        /** Goes over the outer dimensions, this many of them being left, the innermost of them last. */
        private void over(MemorySegment block, long pointer, int left) {
            if (left == 0) {
                for (int i = 0; i < pointers.length; i++) {
                    set(block, RowBlock.pointer(i), pointers[i]);
                }
                kernel.call(memory, Recording.arguments(block, pointer), 0, 0, 0, 0, 0);
                return;
            }
            int dimension = shape.dimensions() - RowShape.IN_KERNEL - left;
            long extent = extent(dimension);
            for (long at = 0; at < extent; at++) {
                over(block, pointer, left - 1);
                move(dimension, 1);
            }
            move(dimension, -extent);
        }

        private void move(int dimension, long by) {
            for (int i = 0; i < pointers.length; i++) {
                pointers[i] += by * shape.stride(i, dimension);
            }
        }
    }
}
