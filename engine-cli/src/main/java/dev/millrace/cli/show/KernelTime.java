package dev.millrace.cli.show;

/**
 * What a kernel took in one of the runs that were measured, on the average.
 *
 * @param node what it was made for, or one of several such; empty where it stands for none
 * @param operations multiplications with their additions, or 0 where nobody counts them
 * @param bytes that are read and written at least
 */
record KernelTime(String kernel, String node, double micros, double share, long calls, long operations, long bytes) {
    /** Billions of additions and multiplications a second, or 0 where nobody counts them. */
    double gigaflops() {
        return micros == 0 ? 0 : 2.0 * operations / micros / 1e3;
    }

    double gigabytesPerSecond() {
        return micros == 0 ? 0 : bytes / micros / 1e3;
    }
}
