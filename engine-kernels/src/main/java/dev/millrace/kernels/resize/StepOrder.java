package dev.millrace.kernels.resize;

import java.util.ArrayList;
import java.util.List;

/**
 * The order of the axes of a plan. Those that shrink most come first, except the last dimension of the data, whose
 * elements are gathered one by one: it comes where this is least work.
 */
final class StepOrder {
    /** The cost of an element that is gathered, relative to one that is part of a row. */
    private static final double GATHERED = 6;

    private StepOrder() {}

    static List<ResizeAxis> of(long[] dims, List<ResizeAxis> axes) {
        List<ResizeAxis> order = new ArrayList<>(axes);
        order.sort(StepOrder::compare);
        ResizeAxis last = order.stream()
                .filter(axis -> axis.axis() == dims.length - 1)
                .findAny()
                .orElse(null);
        if (last == null) {
            return order;
        }
        order.remove(last);
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int place = 0; place <= order.size(); place++) {
            double cost = cost(order, place, last);
            if (cost < least) {
                least = cost;
                best = place;
            }
        }
        order.add(best, last);
        return order;
    }

    /**
     * Compares axes by their growth, then by their number. Comparators of the JDK would create classes while a model is
     * being loaded.
     */
    private static int compare(ResizeAxis one, ResizeAxis other) {
        int byGrowth = Double.compare((double) one.to() / one.from(), (double) other.to() / other.from());
        return byGrowth != 0 ? byGrowth : Integer.compare(one.axis(), other.axis());
    }

    /**
     * Returns the work for each element of the data, where the last dimension is at a given position among the others.
     */
    private static double cost(List<ResizeAxis> others, int place, ResizeAxis last) {
        double size = 1;
        double cost = 0;
        for (int i = 0; i <= others.size(); i++) {
            if (i == place) {
                size *= (double) last.to() / last.from();
                cost += size * GATHERED;
            }
            if (i < others.size()) {
                size *= (double) others.get(i).to() / others.get(i).from();
                cost += size;
            }
        }
        return cost;
    }
}
