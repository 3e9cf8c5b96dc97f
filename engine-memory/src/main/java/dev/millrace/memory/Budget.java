package dev.millrace.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How much may be mapped at a time: as much as the JDK leaves of what its options allow. Where that is used up, the
 * garbage collector is asked to free what nobody refers to.
 */
final class Budget {
    static final Budget OF_PROCESS = new Budget(JdkMemory::limit, JdkMemory::used);

    /** So much is not worth the time that the JDK takes to look the limit up. */
    private static final long UNASKED = 32 << 20;
    /** A collection is done at once, what it finds is freed by another thread: half a second, in longer and longer naps. */
    private static final int NAPS = 9;

    private final LongSupplier limit;
    private final LongSupplier others;
    private final AtomicLong taken = new AtomicLong();

    /**
     * @param limit of all native memory
     * @param others what is in use beside this budget
     */
    Budget(LongSupplier limit, LongSupplier others) {
        this.limit = limit;
        this.others = others;
    }

    /** What the JDK says of the memory that it allocates itself. */
    private static final class JdkMemory {
        private static final long LIMIT = find();
        private static final BufferPoolMXBean DIRECT =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .findFirst()
                        .orElseThrow();

        private static long find() {
            var diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            long given = Long.parseLong(
                    diagnostics.getVMOption("MaxDirectMemorySize").getValue());
            return given == 0 ? Runtime.getRuntime().maxMemory() : given;
        }

        static long limit() {
            return LIMIT;
        }

        static long used() {
            return DIRECT.getMemoryUsed();
        }
    }

    long limit() {
        return limit.getAsLong();
    }

    long taken() {
        return taken.get();
    }

    /** Throws OutOfMemoryError where there is not so much left. */
    void take(long bytes) {
        if (!isTaken(bytes)) {
            takeAfterCollection(bytes);
        }
    }

    void giveBack(long bytes) {
        taken.addAndGet(-bytes);
    }

    private boolean isTaken(long bytes) {
        long before;
        do {
            before = taken.get();
            if (bytes > UNASKED - before && bytes > limit() - others.getAsLong() - before) {
                return false;
            }
        } while (!taken.compareAndSet(before, before + bytes));
        return true;
    }

    /** One thread at a time: the others find what its collection has freed. */
    private synchronized void takeAfterCollection(long bytes) {
        boolean interrupted = false;
        try {
            for (int nap = 0; nap < NAPS; nap++) {
                if (isTaken(bytes)) {
                    return;
                }
                if (nap == 0) {
                    System.gc();
                }
                try {
                    // the cleaner's thread tells nobody when it has unmapped what the collection found
                    Thread.sleep(1L << nap);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (!isTaken(bytes)) {
            throw new OutOfMemoryError("there is no native memory for " + bytes + " bytes: " + taken
                    + " are mapped and " + others.getAsLong() + " allocated of " + limit());
        }
    }
}
