package dev.millrace.codegen.code;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Work that is wanted soon and done beside whoever wants it, on one thread, in its order. The thread comes with the first
 * piece and goes when there has been none for a while. Whoever needs a piece before its turn does it himself: a piece
 * sees to it that it is done once, and keeps its failures for those who need it.
 */
public final class Beside {
    private static final long LINGER_MILLIS = 50;

    private final String threadName;
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
    private boolean hasThread;

    public Beside(String threadName) {
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
                // It fails again for whoever needs it, and is reported there.
            }
        }
    }

    /** What the thread does next, or null where it is to end. */
    private synchronized @Nullable Runnable next() {
        if (waiting.isEmpty()) {
            try {
                wait(LINGER_MILLIS);
            } catch (InterruptedException _) {
                // Whoever interrupts this thread wants it to end, and it can at any time.
            }
        }
        Runnable next = waiting.poll();
        hasThread = next != null;
        return next;
    }
}
