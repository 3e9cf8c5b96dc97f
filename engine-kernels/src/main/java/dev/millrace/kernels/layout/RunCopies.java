package dev.millrace.kernels.layout;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.DriverScratch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/** Copies of runs of bytes for other drivers, which check the extents. Safe for use by several threads. */
public final class RunCopies {
    private static final int MIDDLE = 2;
    /** Bytes that a fill writes one by one before it copies larger pieces. */
    private static final int FIRST_OF_FILL = 64;

    private final KernelSet kernels;
    private final KernelCache<Integer> shortRuns;
    private final CompiledKernel longRuns;
    private final DriverScratch strides = new DriverScratch();

    public RunCopies(KernelSet kernels) {
        this.kernels = kernels;
        shortRuns = new KernelCache<>(kernels, bytes -> RunCopy.key(bytes, kernels.target()));
        longRuns = kernels.kernel(RunCopy.key(kernels.target().vectorBytes(), kernels.target()));
    }

    /** Returns the calls of one thread, valid until the thread asks again. */
    public Calls in(Memory memory) {
        return new Calls(memory, strides.atLeast(Long.BYTES * LoopNest.STRIDES));
    }

    /** The calls of one thread. */
    public final class Calls {
        private final Memory memory;
        private final MemorySegment block;
        private final long blockStart;
        private long toStepInBlock;
        private long fromStepInBlock;

        private Calls(Memory memory, MemorySegment block) {
            this.memory = memory;
            this.block = block;
            blockStart = memory.pointer(block);
            steps(0, 0);
        }

        /** Copies some runs at equal distances; a step of 0 copies one run many times. */
        public void copy(long from, long fromStep, long to, long toStep, long count, long bytes) {
            if (toStep != toStepInBlock || fromStep != fromStepInBlock) {
                steps(toStep, fromStep);
            }
            CompiledKernel kernel = bytes >= kernels.target().vectorBytes() ? longRuns : shortRuns.kernel((int) bytes);
            kernel.call(memory, to, from, Recording.arguments(block, blockStart), bytes, count, 1);
            Reference.reachabilityFence(block);
        }

        /** Fills a range with a byte that is read from memory. */
        public void fill(long from, long to, long bytes) {
            long first = Math.min(bytes, FIRST_OF_FILL);
            copy(from, 0, to, 1, first, 1);
            long whole = bytes / FIRST_OF_FILL;
            if (whole > 1) {
                copy(to, 0, to + FIRST_OF_FILL, FIRST_OF_FILL, whole - 1, FIRST_OF_FILL);
            }
            long rest = bytes % FIRST_OF_FILL;
            if (whole > 0 && rest > 0) {
                copy(to, 0, to + whole * FIRST_OF_FILL, rest, 1, rest);
            }
        }

        private void steps(long toStep, long fromStep) {
            block.set(ValueLayout.JAVA_LONG, Long.BYTES * MIDDLE, toStep);
            block.set(ValueLayout.JAVA_LONG, Long.BYTES * (MIDDLE + 1), fromStep);
            toStepInBlock = toStep;
            fromStepInBlock = fromStep;
        }
    }
}
