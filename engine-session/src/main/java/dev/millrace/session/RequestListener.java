package dev.millrace.session;

/**
 * Hears of every request of an engine's sessions when it has ended: blocking runs, those of {@code mono} and {@code flux},
 * and those that were refused. Called on the thread that ends it, several at a time; it must not block. What it throws goes to
 * its thread's handler of uncaught exceptions and harms no request.
 */
@FunctionalInterface
public interface RequestListener {
    void ended(RequestReport request);

    /**
     * Hears that the run of a request begins whose options have a tag ({@link RunOptions#tag()}), on the thread that runs it.
     * Where one run answers several requests of a {@link BatchedSession}, it hears of each of them.
     */
    default void began(SessionLabel of, String tag) {}

    /**
     * Hears that a request whose options have a tag is part of a batch, whose run waits for its turn now. Not called for a request
     * that runs alone.
     *
     * @param requests how many requests the batch has
     */
    default void joined(SessionLabel of, String tag, int requests) {}

    /** Hears of a run that answered several requests of a {@link BatchedSession}, beside the run's own report. */
    default void batchEnded(BatchReport batch) {}

    /** Hears of a generation, beside the reports of its runs. */
    default void generationEnded(GenerationReport generation) {}
}
