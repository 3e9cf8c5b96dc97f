package dev.millrace.kernels.resize;

import dev.millrace.codegen.program.Target;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan of a resizing of data of one shape, one axis after the other. The dimensions before the first of these axes
 * are planes, which are independent of each other. A plane consists of rows along its first dimension, and is processed
 * in bands of rows of results, which are small enough to stay in a cache between steps.
 */
public final class ResizePlan {
    /** The approximate number of elements of a band at any time. */
    private static final long BAND_ELEMENTS = 32 * 1024;

    private static final long MAX_ROW_ELEMENTS = 1 << 27;

    private final ResizeRule rule;
    private final List<ResizeStep> steps = new ArrayList<>();
    private final List<ResizeBand> bands = new ArrayList<>();
    private final List<ResizeAxis> axes;
    private final long[] dims;
    private final long[] results;
    /** The first dimension of planes. */
    private final int rows;

    private final @Nullable Repeats repeats;
    private final long between;

    /**
     * Creates a plan and its tables.
     *
     * @param dims extents of the data
     * @param axes the axes that are resized, at least one, each once
     * @param tables the allocator of the tables, which must live as long as the plan is used
     */
    public ResizePlan(ResizeRule rule, long[] dims, List<ResizeAxis> axes, Target target, SegmentAllocator tables) {
        this.rule = rule;
        this.axes = List.copyOf(axes);
        this.dims = dims.clone();
        results = dims.clone();
        if (axes.isEmpty()) {
            throw new IllegalArgumentException("there is no axis to resize");
        }
        boolean[] known = new boolean[dims.length];
        int first = dims.length - 2;
        for (ResizeAxis axis : axes) {
            if (axis.axis() >= dims.length || known[axis.axis()] || dims[axis.axis()] != axis.from()) {
                throw new IllegalArgumentException(
                        axis + " is no axis of " + Arrays.toString(dims) + ", or is given twice");
            }
            known[axis.axis()] = true;
            first = Math.min(first, axis.axis());
            results[axis.axis()] = axis.to();
        }
        rows = Math.max(0, first);
        if (Arrays.stream(dims).anyMatch(dim -> dim < 0)) {
            throw new IllegalArgumentException(Arrays.toString(dims) + " are no dimensions");
        }
        if (Math.max(elementsOfRow(), resultsOfRow()) > MAX_ROW_ELEMENTS || dims[rows] > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(Arrays.toString(dims) + " has rows too large to resize");
        }
        addSteps(target, tables);
        addBands();
        repeats = findRepeats();
        between = findBetween();
    }

    private void addSteps(Target target, SegmentAllocator tables) {
        long[] current = dims.clone();
        boolean areResults = false;
        for (ResizeAxis axis : StepOrder.of(dims, axes)) {
            boolean become = axis.axis() == rows;
            ResizeStep.Rows over = become
                    ? ResizeStep.Rows.BECOME_RESULTS
                    : areResults ? ResizeStep.Rows.OF_RESULTS : ResizeStep.Rows.OF_DATA;
            long outer = become ? 1 : product(current, rows + 1, axis.axis());
            long inner = product(current, axis.axis() + 1, dims.length);
            steps.add(ResizeStep.of(rule, axis, over, outer, inner, target, tables));
            current[axis.axis()] = axis.to();
            areResults |= become;
        }
    }

    private void addBands() {
        int count = (int) results[rows];
        ResizeStep ofRows = steps.stream()
                .filter(step -> step.rows() == ResizeStep.Rows.BECOME_RESULTS)
                .findAny()
                .orElse(null);
        if (ofRows != null && ofRows.inner() == 1) {
            bands.add(new ResizeBand(0, count, 0, (int) dims[rows]));
            return;
        }
        long largest = Math.max(1, Math.max(elementsOfRow(), resultsOfRow()));
        int number = (int) Math.min(count, Math.ceilDiv(count * largest, BAND_ELEMENTS));
        for (int i = 0; i < number; i++) {
            int first = (int) ((long) count * i / number);
            int end = (int) ((long) count * (i + 1) / number);
            bands.add(
                    ofRows == null
                            ? new ResizeBand(first, end, first, end)
                            : ofRows.taps().band(first, end));
        }
    }

    private static long product(long[] dims, int from, int to) {
        long product = 1;
        for (int i = from; i < to; i++) {
            product = Math.multiplyExact(product, dims[i]);
        }
        return product;
    }

    /** The dimensions of the result. */
    public long[] resultDims() {
        return results.clone();
    }

    ResizeRule rule() {
        return rule;
    }

    List<ResizeAxis> axes() {
        return axes;
    }

    List<ResizeStep> steps() {
        return steps;
    }

    /** The bands of each plane; a single one where rows are single elements, which are not cut. */
    List<ResizeBand> bands() {
        return bands;
    }

    long planes() {
        return product(dims, 0, rows);
    }

    /** Rows of the data in a plane. */
    long rowsOfPlane() {
        return dims[rows];
    }

    /** Rows of results in a plane. */
    long resultRowsOfPlane() {
        return results[rows];
    }

    long elementsOfRow() {
        return product(dims, rows + 1, dims.length);
    }

    long resultsOfRow() {
        return product(results, rows + 1, dims.length);
    }

    long elements() {
        return product(dims, 0, dims.length);
    }

    long results() {
        return product(results, 0, dims.length);
    }

    /**
     * The repetitions to which the plan amounts if it only repeats elements, and rows of them, a few times; else null.
     */
    @Nullable
    Repeats repeats() {
        return repeats;
    }

    private @Nullable Repeats findRepeats() {
        int last = dims.length - 1;
        int times = 1;
        int copies = 1;
        for (ResizeAxis axis : axes) {
            int its = rule.mode() == ResizeRule.Mode.NEAREST ? axis.times(rule) : 0;
            if (its < 1 || its > RepeatElements.MAX_TIMES || axis.axis() < last - 1) {
                return null;
            }
            times = axis.axis() == last ? its : times;
            copies = axis.axis() < last ? its : copies;
        }
        return new Repeats(product(dims, 0, last), dims[last], times, copies);
    }

    /** The most elements that a band has between two steps. */
    long between() {
        return between;
    }

    private long findBetween() {
        long most = 0;
        for (ResizeStep step : steps.subList(0, steps.size() - 1)) {
            for (ResizeBand band : bands) {
                most = Math.max(most, step.results(band));
            }
        }
        return most;
    }
}
