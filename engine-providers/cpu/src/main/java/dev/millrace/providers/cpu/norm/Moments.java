package dev.millrace.providers.cpu.norm;

import dev.millrace.scheduler.kernel.RunServices;

/** Mean, variance and what is done with them, over the first elements of an array that may be long. */
public final class Moments {
    /** Elements after which cancellation is looked at. */
    public static final int AT_ONCE = 1 << 16;

    private Moments() {}

    public static double mean(RunServices run, double[] x, int count) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        while (i + 4 <= count) {
            run.checkCancelled();
            for (int end = Math.min(AT_ONCE, count - i) + i; i + 4 <= end; i += 4) {
                a += x[i];
                b += x[i + 1];
                c += x[i + 2];
                d += x[i + 3];
            }
        }
        for (; i < count; i++) {
            a += x[i];
        }
        return ((a + b) + (c + d)) / count;
    }

    /** The sum of the squared distances from {@code centre}. */
    public static double squares(RunServices run, double[] x, int count, double centre) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        while (i + 4 <= count) {
            run.checkCancelled();
            for (int end = Math.min(AT_ONCE, count - i) + i; i + 4 <= end; i += 4) {
                double p = x[i] - centre;
                double q = x[i + 1] - centre;
                double r = x[i + 2] - centre;
                double s = x[i + 3] - centre;
                a += p * p;
                b += q * q;
                c += r * r;
                d += s * s;
            }
        }
        for (; i < count; i++) {
            double p = x[i] - centre;
            a += p * p;
        }
        return (a + b) + (c + d);
    }

    /** {@code (x - centre) * factor + shift} in place, from one element to before another. */
    static void normalise(RunServices run, double[] x, int from, int to, double centre, double factor, double shift) {
        for (int at = from; at < to; at += AT_ONCE) {
            run.checkCancelled();
            int end = Math.min(AT_ONCE, to - at) + at;
            for (int i = at; i < end; i++) {
                x[i] = (x[i] - centre) * factor + shift;
            }
        }
    }
}
