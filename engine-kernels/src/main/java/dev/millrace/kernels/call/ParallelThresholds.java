package dev.millrace.kernels.call;

/**
 * The least work of a task that pays for another thread: about 20 microseconds, and five where there are many threads.
 * A worker that is spinning starts within one or two microseconds, one that sleeps within 10 to 100, and the caller
 * waits for the last of them. Each further thread costs a third of a microsecond and shortens the time to wait for.
 */
public final class ParallelThresholds {
    /** Multiplications and additions of floats whose operands are in the caches. */
    public static final long PRODUCTS = 1 << 20;

    /**
     * Multiplications and additions of bytes, half as long: quantised models have many short steps, between which
     * workers stay awake.
     */
    public static final long BYTE_PRODUCTS = 1 << 20;

    /** Multiplications and additions of bytes by windows of one channel. */
    public static final long BYTE_WINDOWS = 1 << 17;

    /** Products that are as slow as memory or as their loads: those by single rows, by windows of one channel. */
    public static final long SLOW_PRODUCTS = 1 << 18;

    /** Elements that are read, computed with and written. */
    public static final long ELEMENTS = 1 << 16;

    /** Bytes that are copied. */
    public static final long BYTES = 1 << 18;

    /** The work of a task, in multiples of the least, beyond which cancellation would come too late. */
    private static final long LONG = 64;

    /** The most by which the least work of a task is divided for many threads. */
    private static final int MOST_OF_MANY = 4;

    private ParallelThresholds() {}

    /** Returns the least work of a task where {@code threads} threads share the work. */
    public static long least(long ofTask, int threads) {
        return ofTask / Math.clamp(threads / 2, 1, MOST_OF_MANY);
    }

    /** Returns the number of tasks for some work: no more than pay, and no more than there are threads. */
    public static int shares(long work, long ofTask, int threads) {
        return (int) Math.clamp(work / least(ofTask, threads), 1, Math.max(1, threads));
    }

    /**
     * Returns the number of tasks for some work: no more than pay, and as many as there are threads, or more where each
     * of them would take long.
     */
    public static int tasks(long work, long ofTask, int threads) {
        return (int) Math.clamp(work / least(ofTask, threads), 1, Math.max(threads, work / (LONG * ofTask)));
    }

    /**
     * Returns the number of tasks that pay for a matrix product. Products with few rows wait for memory, from which the
     * weights come, rather than for the processor.
     *
     * @param products multiplications of the whole product
     * @param ofTask the least multiplications of one task
     * @param weights bytes of weights, which are read once
     * @param most the number of threads
     */
    public static int tasks(double products, long ofTask, double weights, int most) {
        return (int) Math.clamp((long) Math.max(products / least(ofTask, most), weights / least(BYTES, most)), 1, most);
    }
}
