package dev.millrace.inspect;

/**
 * The average time of a kernel in one of the measured runs.
 *
 * @param node the node that it was made for, or one of several; empty if there is none
 * @param operations the multiplications with their additions, or 0 if they are not counted
 * @param bytes the bytes that are read and written at least
 */
record KernelTime(String kernel, String node, double micros, double share, long calls, long operations, long bytes) {
    /** Returns the billions of additions and multiplications per second (GFLOP/s), or 0 if they are not counted. */
    double gigaflops() {
        return micros == 0 ? 0 : 2.0 * operations / micros / 1e3;
    }

    double gigabytesPerSecond() {
        return micros == 0 ? 0 : bytes / micros / 1e3;
    }
}
