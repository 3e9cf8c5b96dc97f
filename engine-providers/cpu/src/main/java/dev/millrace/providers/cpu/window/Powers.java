package dev.millrace.providers.cpu.window;

/** Powers and roots of p-norms. */
final class Powers {
    private static final long MOST_PRODUCTS = 4;

    private Powers() {}

    static double of(double x, long p) {
        return switch ((int) Math.min(p, MOST_PRODUCTS + 1)) {
            case 1 -> Math.abs(x);
            case 2 -> x * x;
            case 3 -> Math.abs(x * x * x);
            case 4 -> x * x * x * x;
            default -> Math.pow(Math.abs(x), p);
        };
    }

    static double root(double sum, long p) {
        return p == 1 ? sum : p == 2 ? Math.sqrt(sum) : Math.pow(sum, 1.0 / p);
    }
}
