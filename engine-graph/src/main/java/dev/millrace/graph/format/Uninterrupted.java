package dev.millrace.graph.format;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileLockInterruptionException;

/** Work on files that interrupts don't stop: the JDK closes a channel under a thread that is interrupted. */
public final class Uninterrupted {
    private Uninterrupted() {}

    /** What may be begun again from its start. */
    public interface Work<T> {
        T go() throws IOException;
    }

    /** Does {@code work}, again where an interrupt has stopped it; the thread is interrupted afterwards if it was. */
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
