package dev.millrace.providers.simd.rule.move;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.Copies;
import dev.millrace.kernels.layout.StridedCopy;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A padded value as boxes, each copied from one of the data or filled. */
final class PadCopies {
    private static final int MOST_BOXES = 64;

    private final KernelSet kernels;
    private final int elementBytes;
    private final long[] strides;
    private final List<List<PadRun>> runs;
    private final long[] toDims;
    private final long[] toStrides;
    private final List<Box> boxes = new ArrayList<>();

    private record Box(Copier copier, boolean isFilled) {}

    /**
     * Plans the copies.
     *
     * @param strides of the data, in elements
     * @param runs of each axis
     * @param toDims of the padded value, which is dense
     */
    PadCopies(KernelSet kernels, int elementBytes, long[] strides, List<List<PadRun>> runs, long[] toDims) {
        this.kernels = kernels;
        this.elementBytes = elementBytes;
        this.strides = strides;
        this.runs = runs;
        this.toDims = toDims;
        toStrides = Copies.denseStrides(toDims);
        collect(0, 0, 0, new long[toDims.length], new long[toDims.length]);
    }

    /** Whether they are few enough. */
    static boolean areFew(List<List<PadRun>> runs) {
        long boxes = 1;
        for (List<PadRun> ofAxis : runs) {
            boxes *= ofAxis.size();
        }
        return boxes <= MOST_BOXES;
    }

    private void collect(int axis, long to, long from, long[] counts, long[] steps) {
        if (axis == toDims.length) {
            add(StridedCopy.of(elementBytes, counts.clone(), to, toStrides, from, steps.clone()), false);
            return;
        }
        for (PadRun run : runs.get(axis)) {
            long at = to + run.at() * toStrides[axis];
            counts[axis] = run.count();
            if (run.isFilled()) {
                fill(axis, at, counts);
            } else {
                steps[axis] = run.step() * strides[axis];
                collect(axis + 1, at, from + run.source() * strides[axis], counts, steps);
            }
        }
    }

    private void fill(int axis, long to, long[] outer) {
        long[] counts = toDims.clone();
        System.arraycopy(outer, 0, counts, 0, axis + 1);
        add(StridedCopy.of(elementBytes, counts, to, toStrides, 0, new long[counts.length]), true);
    }

    private void add(StridedCopy copy, boolean isFilled) {
        if (copy.bytes() > 0) {
            boxes.add(new Box(new Copier(kernels, copy), isFilled));
        }
    }

    /** @param value the element that fills what comes from nowhere */
    void run(MemorySegment data, MemorySegment value, MemorySegment out, Parallel parallel) {
        for (Box box : boxes) {
            box.copier.run(box.isFilled ? value : data, out, parallel);
        }
    }
}
