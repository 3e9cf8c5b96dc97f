package dev.millrace.codegen.program.x86;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Makes kernels beside whoever asked for them, who goes on and meets them again when he calls one. The thread comes with
 * the first kernel and goes when there have been none for a while.
 */
final class AssemblyLine {
    private static final long LINGER_MILLIS = 50;

    private final ArrayDeque<MachineKernel> waiting = new ArrayDeque<>();
    private boolean hasThread;

    synchronized void add(MachineKernel kernel) {
        waiting.add(kernel);
        if (hasThread) {
            notifyAll();
        } else {
            hasThread = true;
            Thread thread = new Thread(this::work, "millrace-assembler");
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void work() {
        for (MachineKernel kernel = next(); kernel != null; kernel = next()) {
            kernel.make();
        }
    }

    /** What the thread makes next, or null where it is to end. */
    private synchronized @Nullable MachineKernel next() {
        if (waiting.isEmpty()) {
            try {
                wait(LINGER_MILLIS);
            } catch (InterruptedException _) {
                // Whoever interrupts this thread wants it to end, and it can at any time: callers make what they call.
            }
        }
        MachineKernel next = waiting.poll();
        hasThread = next != null;
        return next;
    }
}
