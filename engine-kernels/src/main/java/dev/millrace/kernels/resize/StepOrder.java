package dev.millrace.kernels.resize;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds a good order for the axes of a plan: those first that shrink most, but the last dimension of the data, whose
 * elements are gathered one by one, where this is least work.
 */
final class StepOrder {
    /** What an element that is gathered costs, beside one that is one of a row. */
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

    /** By what becomes of an axis, and by its place. In words: comparators of the JDK make classes while a model waits. */
    private static int compare(ResizeAxis one, ResizeAxis other) {
        int byGrowth = Double.compare((double) one.to() / one.from(), (double) other.to() / other.from());
        return byGrowth != 0 ? byGrowth : Integer.compare(one.axis(), other.axis());
    }

    /** Work for each element of the data, where the last dimension is in one place among the others. */
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
