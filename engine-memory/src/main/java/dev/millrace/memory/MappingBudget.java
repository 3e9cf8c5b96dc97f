package dev.millrace.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The budget of native memory: the part of the JVM's limit that the JDK does not use itself. Where it is used up, a
 * garbage collection is requested to free unreachable blocks.
 */
final class MappingBudget {
    static final MappingBudget OF_PROCESS = new MappingBudget(JdkMemory::limit, JdkMemory::used);

    /** The number of bytes below which the limit is not looked up, because that takes the JDK too long. */
    private static final long UNASKED = 32 << 20;
    /**
     * The number of waits after a garbage collection, each twice as long as the one before, half a second in all. The
     * collection is synchronous, but another thread frees the blocks that it finds.
     */
    private static final int NAPS = 9;

    private final LongSupplier limit;
    private final LongSupplier others;
    private final AtomicLong taken = new AtomicLong();

    /**
     * @param limit the limit of all native memory in bytes
     * @param others the number of bytes in use outside of this budget
     */
    MappingBudget(LongSupplier limit, LongSupplier others) {
        this.limit = limit;
        this.others = others;
    }

    /** The JDK's limit of native memory and its own use of it. */
    private static final class JdkMemory {
        private static final long LIMIT = find();
        private static final BufferPoolMXBean DIRECT =
                ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .findFirst()
                        .orElseThrow();

        private static long find() {
            var diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
            long count = Long.parseLong(
                    diagnostics.getVMOption("MaxDirectMemorySize").getValue());
            return count == 0 ? Runtime.getRuntime().maxMemory() : count;
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

    /** Takes bytes from the budget; throws OutOfMemoryError where there are not so many left. */
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

    /**
     * Collects garbage and tries again. One thread does so at a time; the others use the memory that its collection
     * frees.
     */
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
                    // there is no signal from the cleaner's thread when it has unmapped the collected blocks
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
