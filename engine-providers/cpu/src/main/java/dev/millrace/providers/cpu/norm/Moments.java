package dev.millrace.providers.cpu.norm;

/** Mean, variance and what is done with them, over the first elements of an array. */
final class Moments {
    private Moments() {}

    static double mean(double[] x, int count) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i + 4 <= count; i += 4) {
            a += x[i];
            b += x[i + 1];
            c += x[i + 2];
            d += x[i + 3];
        }
        for (; i < count; i++) {
            a += x[i];
        }
        return ((a + b) + (c + d)) / count;
    }

    /** The sum of the squared distances from {@code centre}. */
    static double squares(double[] x, int count, double centre) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i + 4 <= count; i += 4) {
            double p = x[i] - centre;
            double q = x[i + 1] - centre;
            double r = x[i + 2] - centre;
            double s = x[i + 3] - centre;
            a += p * p;
            b += q * q;
            c += r * r;
            d += s * s;
        }
        for (; i < count; i++) {
            double p = x[i] - centre;
            a += p * p;
        }
        return (a + b) + (c + d);
    }

    /** {@code (x - centre) * factor} in place. */
    static void normalise(double[] x, int count, double centre, double factor) {
        for (int i = 0; i < count; i++) {
            x[i] = (x[i] - centre) * factor;
        }
    }
}
