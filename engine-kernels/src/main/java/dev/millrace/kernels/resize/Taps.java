package dev.millrace.kernels.resize;

import java.util.Arrays;

/**
 * Which elements make up the results along an axis, and by what weight.
 *
 * @param count for each result
 * @param elements {@code count} for each result
 * @param weights of these
 */
record Taps(int count, int[] elements, float[] weights) {
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

    /** What some rows of results are made of. */
    Band band(int first, int end) {
        int least = Integer.MAX_VALUE;
        int most = -1;
        for (int i = first * count; i < end * count; i++) {
            least = Math.min(least, elements[i]);
            most = Math.max(most, elements[i]);
        }
        return new Band(first, end, least, most + 1);
    }

    private static Taps blended(ResizeRule rule, ResizeAxis axis) {
        double stretch = rule.antialias() ? Math.max(1, 1 / (double) axis.scale()) : 1;
        int reach = (int) Math.ceil((rule.mode() == ResizeRule.Mode.LINEAR ? 1 : 2) * stretch);
        int count = 2 * reach;
        int[] elements = new int[Math.multiplyExact(axis.to(), count)];
        float[] weights = new float[elements.length];
        double[] ofResult = new double[count];
        for (int result = 0; result < axis.to(); result++) {
            float place = axis.place(rule.coordinates(), result);
            int left = (int) Math.floor(place);
            double sum = 0;
            for (int tap = 0; tap < count; tap++) {
                int element = left - reach + 1 + tap;
                boolean outside = element < 0 || element >= axis.from();
                ofResult[tap] = outside && rule.excludeOutside()
                        ? 0
                        : weight(rule, Math.abs(element - (double) place) / stretch);
                sum += ofResult[tap];
                elements[result * count + tap] = Math.clamp(element, 0, axis.from() - 1);
            }
            for (int tap = 0; tap < count; tap++) {
                weights[result * count + tap] = (float) (ofResult[tap] / sum);
            }
        }
        return new Taps(count, elements, weights);
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
