package dev.millrace.kernels.resize;

import java.util.Arrays;

/**
 * The elements from which the results along an axis are computed, with their weights.
 *
 * @param count the number of elements for each result
 * @param elements {@code count} for each result
 * @param weights the weights of these
 */
record Taps(int count, int[] elements, float[] weights) {
    /** The most taps of an axis: more mean that the scale does not match the lengths. */
    private static final int MAX_TAPS = 1 << 28;

    static Taps of(ResizeRule rule, ResizeAxis axis) {
        return rule.mode() == ResizeRule.Mode.NEAREST ? nearest(rule, axis) : blended(rule, axis);
    }

    private static Taps nearest(ResizeRule rule, ResizeAxis axis) {
        int[] elements = new int[axis.to()];
        Arrays.setAll(elements, i -> axis.nearest(rule, i));
        float[] weights = new float[axis.to()];
        Arrays.fill(weights, 1);
        return new Taps(1, elements, weights);
    }

    /** Returns the band of some rows of results, with the rows that they are computed from. */
    ResizeBand band(int first, int end) {
        int least = Integer.MAX_VALUE;
        int most = -1;
        for (int i = first * count; i < end * count; i++) {
            least = Math.min(least, elements[i]);
            most = Math.max(most, elements[i]);
        }
        return new ResizeBand(first, end, least, most + 1);
    }

    private static Taps blended(ResizeRule rule, ResizeAxis axis) {
        boolean linear = rule.mode() == ResizeRule.Mode.LINEAR;
        double stretch = rule.antialias() ? Math.max(1, 1 / axis.scale()) : 1;
        double support = (linear ? 1 : 2) * stretch;
        double margin = linear && !rule.antialias() ? 0 : support;
        int count = count(support, axis);
        int[] elements = new int[axis.to() * count];
        float[] weights = new float[elements.length];
        double[] ofResult = new double[count];
        for (int result = 0; result < axis.to(); result++) {
            int at = result * count;
            double place = Math.clamp(axis.exactPlace(rule.coordinates(), result), -margin, axis.from() - 1 + margin);
            int first = (int) Math.floor(place - support) + 1;
            double sum = 0;
            for (int tap = 0; tap < count; tap++) {
                int element = first + tap;
                boolean outside = element < 0 || element >= axis.from();
                boolean far = element - place > support;
                ofResult[tap] =
                        outside && rule.excludeOutside() || far ? 0 : weight(rule, Math.abs(element - place) / stretch);
                sum += ofResult[tap];
                elements[at + tap] = far ? elements[at + tap - 1] : Math.clamp(element, 0, axis.from() - 1);
            }
            share(elements, at, ofResult);
            for (int tap = 0; tap < count; tap++) {
                weights[at + tap] = (float) (ofResult[tap] / sum);
            }
        }
        return new Taps(count, elements, weights);
    }

    private static int count(double support, ResizeAxis axis) {
        double count = Math.ceil(2 * support);
        if (count * axis.to() > MAX_TAPS) {
            throw new IllegalArgumentException(axis + " needs " + count + " elements for each result");
        }
        return (int) count;
    }

    /**
     * Removes weights of 0, which would turn infinities and NaN that do not count into NaN: taps without weight get the
     * element of their neighbour, and taps of one element get equal parts of its weight.
     */
    private static void share(int[] elements, int at, double[] weights) {
        join(elements, at, weights);
        int counting = 0;
        while (counting < weights.length - 1 && weights[counting] == 0) {
            counting++;
        }
        for (int tap = 0; tap < weights.length; tap++) {
            counting = tap > counting && weights[tap] != 0 ? tap : counting;
            elements[at + tap] = elements[at + counting];
        }
        int first = 0;
        while (first < weights.length) {
            double sum = 0;
            int end = first;
            while (end < weights.length && elements[at + end] == elements[at + first]) {
                sum += weights[end++];
            }
            Arrays.fill(weights, first, end, sum / (end - first));
            first = end;
        }
    }

    /** Moves the weight of all taps of an element to the first one. */
    private static void join(int[] elements, int at, double[] weights) {
        int first = 0;
        for (int tap = 1; tap < weights.length; tap++) {
            if (elements[at + tap] == elements[at + first]) {
                weights[first] += weights[tap];
                weights[tap] = 0;
            } else {
                first = tap;
            }
        }
    }

    private static double weight(ResizeRule rule, double distance) {
        if (rule.mode() == ResizeRule.Mode.LINEAR) {
            return Math.max(0, 1 - distance);
        }
        double a = rule.cubic();
        if (distance <= 1) {
            return ((a + 2) * distance - (a + 3)) * distance * distance + 1;
        }
        return distance < 2 ? ((distance - 5) * distance + 8) * distance * a - 4 * a : 0;
    }
}
