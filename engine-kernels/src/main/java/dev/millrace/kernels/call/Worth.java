package dev.millrace.kernels.call;

/**
 * What a task has to do at least for another thread to be worth it: about 20 microseconds, and five where there are many
 * threads. A worker that looks for work comes within one or two, one that sleeps within 10 to 100, and the caller waits for
 * the last of them; but with each thread more, which costs a third of a microsecond, there is less to wait for.
 */
public final class Worth {
    /** Multiplications and additions of floats whose operands are found in caches. */
    public static final long PRODUCTS = 1 << 20;

    /** The same of bytes, half as long: quantised models are many short steps, between which workers stay awake. */
    public static final long BYTE_PRODUCTS = 1 << 20;

    /** The same of bytes by windows of one channel. */
    public static final long BYTE_WINDOWS = 1 << 17;

    /** Products that are as slow as memory or as their loads: those by single rows, by windows of one channel. */
    public static final long SLOW_PRODUCTS = 1 << 18;

    /** Elements that are read, computed with and written. */
    public static final long ELEMENTS = 1 << 16;

    /** Bytes that are copied. */
    public static final long BYTES = 1 << 18;

    /** So many times what is worth a task is so much that nobody could stop it in time. */
    private static final long LONG = 64;

    /** How much less a task of many threads may be. */
    private static final int MOST_OF_MANY = 4;

    private Worth() {}

    /** What a task has to do at least where so many threads share the work. */
    public static long least(long ofTask, int threads) {
        return ofTask / Math.clamp(threads / 2, 1, MOST_OF_MANY);
    }

    /** How many tasks to cut work into: not more than are worth it, or than there are threads. */
    public static int shares(long work, long ofTask, int threads) {
        return (int) Math.clamp(work / least(ofTask, threads), 1, Math.max(1, threads));
    }

    /**
     * How many tasks to cut work into: not more than are worth it, and as many as there are threads, or more where each of
     * them would take long.
     */
    public static int tasks(long work, long ofTask, int threads) {
        return (int) Math.clamp(work / least(ofTask, threads), 1, Math.max(threads, work / (LONG * ofTask)));
    }

    /**
     * How many tasks are worth it of a product. Few rows wait for the weights that they are multiplied with rather than for
     * the processor.
     *
     * @param products of the whole
     * @param ofTask what one task has of them at least
     * @param weights bytes that are read once
     * @param most as many as there are threads
     */
    public static int tasks(double products, long ofTask, double weights, int most) {
        return (int) Math.clamp((long) Math.max(products / least(ofTask, most), weights / least(BYTES, most)), 1, most);
    }
}
