package dev.millrace.providers.cpu.window;

/** Powers and roots of p-norms. */
final class Powers {
    private Powers() {}

    static double of(double x, long p) {
        return p == 1 ? Math.abs(x) : p == 2 ? x * x : Math.pow(Math.abs(x), p);
    }

    static double root(double sum, long p) {
        return p == 1 ? sum : p == 2 ? Math.sqrt(sum) : Math.pow(sum, 1.0 / p);
    }
}
