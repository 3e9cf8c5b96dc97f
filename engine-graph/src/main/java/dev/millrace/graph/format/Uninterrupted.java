package dev.millrace.graph.format;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;

/** Runs work on files that interrupts do not stop: the JDK closes a channel while an interrupted thread uses it. */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** Work that can be restarted from its beginning. */
    public interface Work<T> {
        T go() throws IOException;
    }

    /**
     * Runs {@code work}, again after each interrupt that stops it, and restores the interrupt status of the thread
     * afterwards.
     */
    public static <T> T get(Work<T> work) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return work.go();
                } catch (IOException | RuntimeException e) {
                    if (!isInterrupt(e)) {
                        throw e;
                    }
                    interrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean isInterrupt(Throwable thrown) {
        return thrown instanceof ClosedByInterruptException
                || thrown instanceof FileLockInterruptionException
                || thrown.getCause() != null && isInterrupt(thrown.getCause());
    }
}
