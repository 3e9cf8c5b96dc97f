package dev.millrace.kernels.resize;

import dev.millrace.kernels.Parallel;
import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.family.KernelSet;
import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import dev.millrace.kernels.rows.ElementGather;
import dev.millrace.kernels.rows.RowMove;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;

/**
 * Resizes dense data: fp32 elements, or elements of any size where the nearest one is taken. Memory is native (heap
 * memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class Resize {
    /** Less than this is not worth another thread. */
    private static final long MIN_RESULTS_PER_TASK = 16 * 1024;

    private final KernelSet kernels;
    private final Kernel rows;
    private final Kernel elements;
    private final Kernel moveRows;
    private final Kernel moveElements;
    private final List<Kernel> repeat = new ArrayList<>();

    public Resize(KernelSet kernels) {
        this.kernels = kernels;
        rows = kernels.kernel(BlendRows.key());
        elements = kernels.kernel(BlendElements.key());
        moveRows = kernels.kernel(RowMove.gather());
        moveElements = kernels.kernel(ElementGather.key());
        for (int times = 2; times <= RepeatElements.MAX_TIMES; times++) {
            repeat.add(kernels.kernel(RepeatElements.key(times)));
        }
    }

    /** What {@link #run} needs as scratch memory for so many threads. */
    public long scratchBytes(ResizePlan plan, int elementBytes, int threads) {
        return Math.multiplyExact(2L * threads * elementBytes, plan.between());
    }

    /**
     * Resizes.
     *
     * @param elementBytes 4, or another number where the nearest element is taken
     * @param outside what results have that lie outside of the data, where these are cropped; fp32 only
     * @param scratch memory of this call alone
     */
    public void run(
            ResizePlan plan,
            int elementBytes,
            MemorySegment data,
            MemorySegment out,
            float outside,
            MemorySegment scratch,
            Parallel parallel) {
        if (elementBytes < 1 || elementBytes != 4 && plan.rule().mode() != ResizeRule.Mode.NEAREST) {
            throw new IllegalArgumentException("elements of " + elementBytes + " bytes cannot be blended");
        }
        long results = plan.planes() * plan.resultsOfPlane();
        Extents.bytes("the data", data, plan.planes() * plan.elementsOfPlane() * elementBytes);
        Extents.bytes("the output", out, results * elementBytes);
        Extents.writable("the output", out);
        Extents.apart("the output", out, "the data", data);
        if (results == 0) {
            return;
        }
        int tasks = (int) Math.clamp(Math.min(plan.planes(), results / MIN_RESULTS_PER_TASK), 1, parallel.width());
        Extents.bytes("the scratch", scratch, scratchBytes(plan, elementBytes, tasks));
        try {
            Parallel threads = tasks == 1 ? Parallel.NONE : parallel;
            threads.run(tasks, task -> {
                Planes planes = new Planes(kernels.newMemory(), plan, elementBytes, data, out, scratch, task);
                for (long i = plan.planes() * task / tasks; i < plan.planes() * (task + 1) / tasks; i++) {
                    planes.resize(i);
                }
            });
            if (plan.rule().coordinates() == ResizeRule.Coordinates.TF_CROP_AND_RESIZE) {
                setOutside(plan, out, outside);
            }
        } finally {
            Reference.reachabilityFence(plan);
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(scratch);
        }
    }

    /** The planes of one task. */
    private final class Planes {
        private final Memory memory;
        private final ResizePlan plan;
        private final int elementBytes;
        private final long from;
        private final long to;
        private final long[] between = new long[2];
        private final long[] tables;

        Planes(
                Memory memory,
                ResizePlan plan,
                int elementBytes,
                MemorySegment data,
                MemorySegment out,
                MemorySegment scratch,
                int task) {
            this.memory = memory;
            this.plan = plan;
            this.elementBytes = elementBytes;
            from = memory.pointer(data);
            to = memory.pointer(out);
            long bytes = plan.between() * elementBytes;
            between[0] = memory.pointer(scratch) + 2 * task * bytes;
            between[1] = between[0] + bytes;
            tables = plan.steps().stream()
                    .mapToLong(step -> memory.pointer(step.table()))
                    .toArray();
        }

        void resize(long plane) {
            long source = from + plane * plan.elementsOfPlane() * elementBytes;
            for (int i = 0; i < tables.length; i++) {
                boolean last = i == tables.length - 1;
                long target = last ? to + plane * plan.resultsOfPlane() * elementBytes : between[i % 2];
                step(plan.steps().get(i), tables[i], source, target);
                source = target;
            }
        }

        private void step(ResizeStep step, long table, long source, long target) {
            ResizeAxis axis = step.axis();
            long width = step.inner() * elementBytes;
            if (width == 4) {
                if (step.times() >= 2 && step.times() <= RepeatElements.MAX_TIMES) {
                    long count = step.outer() * axis.from();
                    repeat.get(step.times() - 2).call(memory, source, target, count, 0, 0, 0);
                } else if (plan.rule().mode() == ResizeRule.Mode.NEAREST) {
                    moveElements.call(memory, table, source, target, axis.to(), step.outer(), 4L * axis.from());
                } else {
                    long sizes = axis.to() | (long) step.taps() << 32;
                    elements.call(memory, table, source, target, step.outer(), sizes, 4L * axis.from());
                }
                return;
            }
            for (long i = 0; i < step.outer(); i++) {
                long block = source + i * axis.from() * width;
                long result = target + i * axis.to() * width;
                if (plan.rule().mode() == ResizeRule.Mode.NEAREST) {
                    moveRows.call(memory, table, block, result, width | width << 32, axis.to(), width);
                } else {
                    rows.call(memory, table, block, result, axis.to(), step.taps(), width);
                }
            }
        }
    }

    private static void setOutside(ResizePlan plan, MemorySegment out, float value) {
        long[] dims = plan.results();
        for (ResizeAxis axis : plan.axes()) {
            long outer = 1;
            long inner = 1;
            for (int i = 0; i < dims.length; i++) {
                outer *= i < axis.axis() ? dims[i] : 1;
                inner *= i > axis.axis() ? dims[i] : 1;
            }
            for (int result = 0; result < axis.to(); result++) {
                if (axis.isOutside(plan.rule().coordinates(), result)) {
                    for (long i = 0; i < outer * inner; i++) {
                        long at = (i / inner * axis.to() + result) * inner + i % inner;
                        out.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at, value);
                    }
                }
            }
        }
    }
}
