package dev.millrace.kernels;

/** Functions in double that the JDK lacks, far more exact than a float. */
final class Reference {
    private Reference() {}

    /** The series near zero, the continued fraction (Lentz) far from it. */
    static double erf(double x) {
        double magnitude = Math.abs(x);
        if (magnitude < 2.5) {
            double term = magnitude;
            double sum = magnitude;
            for (int n = 1; n < 200 && term > sum * 1e-18; n++) {
                term *= 2 * magnitude * magnitude / (2 * n + 1);
                sum += term;
            }
            return Math.copySign(2 / Math.sqrt(Math.PI) * Math.exp(-magnitude * magnitude) * sum, x);
        }
        if (magnitude > 7) {
            return Double.isNaN(x) ? x : Math.signum(x);
        }
        double fraction = 0;
        for (int n = 200; n > 0; n--) {
            fraction = n / 2.0 / (magnitude + fraction);
        }
        double complement = Math.exp(-magnitude * magnitude) / Math.sqrt(Math.PI) / (magnitude + fraction);
        return Math.copySign(1 - complement, x);
    }
}
