package dev.millrace.bench.serve;

import org.jspecify.annotations.Nullable;

/** Sessions that answer, each with inputs of its own that are always the same. */
interface Server extends AutoCloseable {
    /** A receiver of the end of a request. */
    @FunctionalInterface
    interface Client {
        /** @param failure the failure, or null if the answer came and was released */
        void answered(@Nullable Throwable failure);
    }

    /** Sends a request to a session. The client may be called on any thread, this one included. */
    void begin(int session, Client client);

    /** Replaces a session by a new one of the same model; the old one finishes the requests that it has accepted. */
    void replace(int session) throws Exception;

    @Override
    void close() throws Exception;
}
