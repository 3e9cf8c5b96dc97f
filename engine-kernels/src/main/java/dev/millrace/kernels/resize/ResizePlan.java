package dev.millrace.kernels.resize;

import dev.millrace.kernels.program.Target;
import java.lang.foreign.SegmentAllocator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * How data of one shape is resized: one axis after the other, those first that shrink most. What is before the first of
 * these axes are planes, which have nothing to do with each other.
 */
public final class ResizePlan {
    private final ResizeRule rule;
    private final List<ResizeStep> steps;
    private final long[] results;
    private final List<ResizeAxis> axes;
    private final long planes;
    private final long elements;

    /**
     * Makes a plan and its tables.
     *
     * @param dims of the data
     * @param axes those that are resized, at least one, each once
     * @param tables where the tables are, as long as the plan is used
     */
    public ResizePlan(ResizeRule rule, long[] dims, List<ResizeAxis> axes, Target target, SegmentAllocator tables) {
        this.rule = rule;
        this.axes = List.copyOf(axes);
        int first = dims.length;
        boolean[] known = new boolean[dims.length];
        for (ResizeAxis axis : axes) {
            if (axis.axis() >= dims.length || known[axis.axis()] || dims[axis.axis()] != axis.from()) {
                throw new IllegalArgumentException(
                        axis + " is no axis of " + Arrays.toString(dims) + ", or is given twice");
            }
            known[axis.axis()] = true;
            first = Math.min(first, axis.axis());
        }
        if (axes.isEmpty()) {
            throw new IllegalArgumentException("there is no axis to resize");
        }
        planes = product(dims, 0, first);
        elements = product(dims, first, dims.length);
        long[] current = dims.clone();
        List<ResizeAxis> inOrder = new ArrayList<>(axes);
        inOrder.sort(Comparator.comparingDouble((ResizeAxis axis) -> (double) axis.to() / axis.from())
                .thenComparingInt(axis -> -axis.axis()));
        steps = new ArrayList<>();
        for (ResizeAxis axis : inOrder) {
            long outer = product(current, first, axis.axis());
            long inner = product(current, axis.axis() + 1, dims.length);
            steps.add(ResizeStep.of(rule, axis, outer, inner, target, tables));
            current[axis.axis()] = axis.to();
        }
        results = current;
    }

    private static long product(long[] dims, int from, int to) {
        long product = 1;
        for (int i = from; i < to; i++) {
            product = Math.multiplyExact(product, dims[i]);
        }
        return product;
    }

    /** The dimensions of the result. */
    public long[] results() {
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

    long planes() {
        return planes;
    }

    long elementsOfPlane() {
        return elements;
    }

    long resultsOfPlane() {
        return steps.getLast().resultsOfPlane();
    }

    /** The most elements that a plane has between two steps. */
    long between() {
        long most = 0;
        for (ResizeStep step : steps.subList(0, steps.size() - 1)) {
            most = Math.max(most, step.resultsOfPlane());
        }
        return most;
    }
}
