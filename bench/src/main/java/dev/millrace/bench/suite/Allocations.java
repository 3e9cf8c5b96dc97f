package dev.millrace.bench.suite;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;

/** How much of the heap threads have allocated since this was made. */
final class Allocations {
    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final long caller = Thread.currentThread().threadId();
    private final Map<Long, Long> before = byThread();

    private Map<Long, Long> byThread() {
        long[] ids = threads.getAllThreadIds();
        long[] bytes = threads.getThreadAllocatedBytes(ids);
        var byThread = new HashMap<Long, Long>();
        for (int i = 0; i < ids.length; i++) {
            byThread.put(ids[i], Math.max(0, bytes[i]));
        }
        byThread.put(caller, threads.getCurrentThreadAllocatedBytes());
        return byThread;
    }

    /**
     * Bytes.
     *
     * @param caller the thread that made this object and asks now
     * @param others all other threads that are still there
     */
    record Bytes(long caller, long others) {}

    Bytes sinceThen() {
        long mine = 0;
        long theirs = 0;
        for (Map.Entry<Long, Long> now : byThread().entrySet()) {
            long grown = now.getValue() - before.getOrDefault(now.getKey(), 0L);
            if (now.getKey() == caller) {
                mine = grown;
            } else {
                theirs += grown;
            }
        }
        return new Bytes(mine, theirs);
    }
}
