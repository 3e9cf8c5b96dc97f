package dev.millrace.bench.serve;

import org.jspecify.annotations.Nullable;

/** Sessions that answer, each with inputs of its own that are always the same. */
interface Server extends AutoCloseable {
    /** Who waits for an answer. */
    @FunctionalInterface
    interface Client {
        /** @param failure why there is none, or null where the answer came and was let go of */
        void answered(@Nullable Throwable failure);
    }

    /** Has a session answer. The client may hear of it on any thread, this one included. */
    void begin(int session, Client client);

    /** Has a new session of the same model take the place of one, which finishes what it has accepted. */
    void replace(int session) throws Exception;

    @Override
    void close() throws Exception;
}
