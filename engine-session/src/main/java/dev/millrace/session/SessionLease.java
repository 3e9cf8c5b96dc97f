package dev.millrace.session;

import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * The right to run a sequence of requests on one session. A source gives it out with {@link SessionSource#lease}. A session that is
 * replaced stays open until its leases are closed. An inference that observes others hears of generations here.
 */
@FunctionalInterface
public interface SessionLease extends AutoCloseable {
    /** The session that runs the whole sequence. */
    Session session();

    /** Hears that a generation begins, on the thread that begins it. */
    default void generationBegan(ContextView context) {}

    /**
     * Hears that the generation has ended. A cancelled run of it may still be under way.
     *
     * @param outcome the {@link dev.millrace.session.generate.Ending}, or {@code FAILED}
     * @param failure the reason; null if the generation did not fail
     */
    default void generationEnded(String outcome, int promptTokens, int generatedTokens, @Nullable Throwable failure) {}

    /** Ends the use of the session. It does not wait. */
    @Override
    default void close() {}
}
