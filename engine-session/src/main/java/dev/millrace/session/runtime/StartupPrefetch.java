package dev.millrace.session.runtime;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.Schemas;
import dev.millrace.memory.Pages;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lets other threads do, while an engine opens, what its first session would wait for and no later one. */
final class StartupPrefetch {
    private static final AtomicBoolean BEGUN = new AtomicBoolean();

    private StartupPrefetch() {}

    static void begin() {
        if (!BEGUN.getAndSet(true)) {
            Pages.foresee();
            Thread thread = new Thread(StartupPrefetch::meet, "millrace-foresight");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void meet() {
        reachMemory();
        Schemas.newestVersion(OpId.ONNX);
        // sessions leave work for later at the end of their first run, and the JDK then starts its threads for that
        DelayedTasks.after(1, TimeUnit.MILLISECONDS).execute(() -> {});
    }

    /** The JDK makes the ways in which segments are read when they are first used, several milliseconds long. */
    private static void reachMemory() {
        byte[] bytes = new byte[Long.BYTES];
        MemorySegment memory = MemorySegment.ofArray(bytes);
        memory.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 0, 0);
        memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, memory.get(ValueLayout.JAVA_INT_UNALIGNED, 0));
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, bytes, 0, bytes.length);
    }
}
