package dev.millrace.scheduler.kernel;

/**
 * A piece of work inside of a launch.
 *
 * @param kernel what does it
 * @param name what it was made for
 * @param operations multiplications with their additions, or 0 where nobody counts them
 * @param bytes that are read and written at least
 */
public record Work(String kernel, String name, long operations, long bytes) {
    /** Hears of pieces of work as they end. */
    @FunctionalInterface
    public interface Listener {
        void ended(Work work, long startNanos, long endNanos);
    }
}
