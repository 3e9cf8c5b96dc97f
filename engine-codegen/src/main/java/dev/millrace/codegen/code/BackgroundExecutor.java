package dev.millrace.codegen.code;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A queue of work that is needed soon and runs on a background thread, in its order. The thread starts with the first
 * piece and ends when there has been none for a while. A caller that needs a piece before its turn runs it itself. Each
 * piece makes sure that it runs once, and keeps its failure for those who need it.
 */
public final class BackgroundExecutor {
    private static final long LINGER_MILLIS = 50;

    private final String threadName;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean hasThread;

    public BackgroundExecutor(String threadName) {
        this.threadName = threadName;
    }

    public synchronized void add(Runnable piece) {
        waiting.add(piece);
        if (hasThread) {
            notifyAll();
        } else {
            hasThread = true;
            Thread thread = new Thread(this::work, threadName);
            thread.setDaemon(true);
            thread.start();
        }
    }

    private void work() {
        for (Runnable piece = next(); piece != null; piece = next()) {
            try {
                piece.run();
            } catch (RuntimeException | Error _) {
                // It fails again for the caller that needs it, and is reported there.
            }
        }
    }

    /** Returns the next piece for the thread, or null where it ends. */
    private synchronized @Nullable Runnable next() {
        if (waiting.isEmpty()) {
            try {
                wait(LINGER_MILLIS);
            } catch (InterruptedException _) {
                // An interrupt asks this thread to end, which it can at any time.
            }
        }
        Runnable next = waiting.poll();
        hasThread = next != null;
        return next;
    }
}
