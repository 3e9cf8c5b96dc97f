package dev.millrace.graph.tensor;

import java.lang.foreign.MemorySegment;

/**
 * A thread that never runs. Memory that it may read is not confined to a thread of the caller's. It keeps no class loader.
 */
public final class OtherThread {
    private static final Thread THREAD = thread();

    private OtherThread() {}

    private static Thread thread() {
        Thread thread = Thread.ofPlatform().unstarted(() -> {});
        thread.setContextClassLoader(null);
        return thread;
    }

    public static boolean mayRead(MemorySegment memory) {
        return memory.isAccessibleBy(THREAD);
    }

    public static boolean mayRead(Tensor tensor) {
        return tensor.isReadableBy(THREAD);
    }
}
