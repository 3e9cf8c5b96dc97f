package dev.millrace.kernels.resize;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import dev.millrace.kernels.gather.ElementGather;
import dev.millrace.kernels.gather.RowMove;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;

/**
 * The resizing of dense data: fp32 elements, or elements of any size where the nearest one is selected. Memory is
 * native (heap memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class Resize {
    private static final int MAX_ELEMENT_BYTES = 16;

    private final KernelSet kernels;
    private final CompiledKernel rows;
    private final CompiledKernel elements;
    private final CompiledKernel moveRows;
    private final KernelCache<Integer> moveElements;
    private final KernelCache<Repeats> repeats;

    public Resize(KernelSet kernels) {
        this.kernels = kernels;
        rows = kernels.kernel(BlendRows.key());
        elements = kernels.kernel(BlendElements.key());
        moveRows = kernels.kernel(RowMove.gather());
        moveElements = new KernelCache<>(kernels, ElementGather::key);
        repeats = new KernelCache<>(kernels, repeat -> RepeatElements.key(repeat.times(), repeat.copies()));
    }

    /** The scratch memory of {@link #run} on a number of threads, in bytes. */
    public long scratchBytes(ResizePlan plan, int elementBytes, int threads) {
        return Math.multiplyExact(2L * threads * elementBytes, plan.between());
    }

    /**
     * Resizes.
     *
     * @param elementBytes 4, or another number up to 16 where the nearest element is selected and nothing is cropped
     * @param outside the value of results that lie outside of the data, where these are cropped
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
        boolean crops = plan.rule().coordinates() == ResizeRule.Coordinates.TF_CROP_AND_RESIZE;
        boolean isFloat = elementBytes == Float.BYTES;
        if (!isFloat && (plan.rule().mode() != ResizeRule.Mode.NEAREST || crops)) {
            throw new IllegalArgumentException("elements of " + elementBytes + " bytes cannot be blended or cropped");
        }
        if (elementBytes < 1 || elementBytes > MAX_ELEMENT_BYTES) {
            throw new IllegalArgumentException("elements of " + elementBytes + " bytes cannot be resized");
        }
        CallChecks.bytes("the data", data, Math.multiplyExact(plan.elements(), elementBytes));
        CallChecks.bytes("the output", out, Math.multiplyExact(plan.results(), elementBytes));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the data", data);
        if (plan.results() == 0) {
            return;
        }
        int most = ParallelThresholds.shares(plan.results(), ParallelThresholds.ELEMENTS, parallel.width());
        try {
            Repeats repeat = isFloat ? plan.repeats() : null;
            if (repeat != null) {
                share(repeat.rows(), most, parallel, (task, first, end) -> repeat(repeat, data, out, first, end));
            } else {
                long units = plan.planes() * plan.bands().size();
                CallChecks.bytes("the scratch", scratch, scratchBytes(plan, elementBytes, (int) Math.min(most, units)));
                CallChecks.writable("the scratch", scratch);
                CallChecks.apart("the scratch", scratch, "the data", data);
                CallChecks.apart("the scratch", scratch, "the output", out);
                share(units, most, parallel, (task, first, end) -> {
                    Bands bands = new Bands(plan, elementBytes, data, out, scratch, task);
                    for (long unit = first; unit < end; unit++) {
                        parallel.checkCancelled();
                        bands.resize(unit);
                    }
                });
            }
            if (crops) {
                setOutside(plan, out, outside);
            }
        } finally {
            Reference.reachabilityFence(plan);
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(scratch);
        }
    }

    /** The work of a task on its share of some units. */
    private interface Share {
        void run(int task, long first, long end);
    }

    private static void share(long units, int mostTasks, Parallel parallel, Share share) {
        int tasks = (int) Math.min(mostTasks, units);
        parallel.run(tasks, task -> share.run(task, units * task / tasks, units * (task + 1) / tasks));
    }

    private void repeat(Repeats repeat, MemorySegment data, MemorySegment out, long first, long end) {
        Memory memory = kernels.newMemory();
        long from = memory.pointer(data) + 4 * first * repeat.count();
        long to = memory.pointer(out) + 4 * first * repeat.count() * repeat.times() * repeat.copies();
        boolean together = repeat.copies() == 1;
        long count = together ? (end - first) * repeat.count() : repeat.count();
        repeats.kernel(repeat.ofAnySize()).call(memory, from, to, count, together ? 1 : end - first, 0, 0);
    }

    /** The bands of one task: band by band, plane after plane. */
    private final class Bands {
        private final Memory memory;
        private final ResizePlan plan;
        private final int elementBytes;
        private final long from;
        private final long to;
        private final long[] between = new long[2];
        private final long[] tables;

        Bands(
                ResizePlan plan,
                int elementBytes,
                MemorySegment data,
                MemorySegment out,
                MemorySegment scratch,
                int task) {
            this.plan = plan;
            this.elementBytes = elementBytes;
            memory = kernels.newMemory();
            from = memory.pointer(data);
            to = memory.pointer(out);
            long bytes = plan.between() * elementBytes;
            between[0] = memory.pointer(scratch) + 2 * task * bytes;
            between[1] = between[0] + bytes;
            tables = plan.steps().stream()
                    .mapToLong(step -> memory.pointer(step.table()))
                    .toArray();
        }

        void resize(long unit) {
            long plane = unit / plan.bands().size();
            ResizeBand band = plan.bands().get((int) (unit % plan.bands().size()));
            long sourceRow = plane * plan.rowsOfPlane() + band.firstSource();
            long resultRow = plane * plan.resultRowsOfPlane() + band.first();
            long source = from + sourceRow * plan.elementsOfRow() * elementBytes;
            for (int i = 0; i < tables.length; i++) {
                boolean last = i == tables.length - 1;
                long target = last ? to + resultRow * plan.resultsOfRow() * elementBytes : between[i % 2];
                step(plan.steps().get(i), band, tables[i], source, target);
                source = target;
            }
        }

        private void step(ResizeStep step, ResizeBand band, long table, long source, long target) {
            boolean nearest = plan.rule().mode() == ResizeRule.Mode.NEAREST;
            ResizeAxis axis = step.axis();
            long width = step.inner() * elementBytes;
            boolean someRows = step.rows() == ResizeStep.Rows.BECOME_RESULTS;
            long results = someRows ? band.results() : axis.to();
            long entries = table + (someRows ? step.entryBytes() * band.first() : 0);
            long start = source - (someRows ? band.firstSource() * width : 0);
            long outer = step.outer(band);
            if (nearest && ElementGather.takes(width)) {
                moveElements
                        .kernel((int) width)
                        .call(memory, entries, start, target, results, outer, width * axis.from());
            } else if (!nearest && width == 4) {
                long sizes = results | (long) step.taps().count() << 32;
                elements.call(memory, entries, start, target, outer, sizes, 4L * axis.from());
            } else {
                for (long i = 0; i < outer; i++) {
                    long block = start + i * axis.from() * width;
                    long result = target + i * results * width;
                    if (nearest) {
                        moveRows.call(memory, entries, block, result, width | width << 32, results, width);
                    } else {
                        rows.call(
                                memory,
                                entries,
                                block,
                                result,
                                results,
                                step.taps().count(),
                                width);
                    }
                }
            }
        }
    }

    private static void setOutside(ResizePlan plan, MemorySegment out, float value) {
        long[] dims = plan.resultDims();
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
