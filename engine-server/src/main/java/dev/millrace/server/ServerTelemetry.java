package dev.millrace.server;

import io.micrometer.observation.ObservationRegistry;

/** A source of the registry that the command {@code serve --telemetry} observes requests with: a service of a module. */
public interface ServerTelemetry extends AutoCloseable {
    /** No observations. */
    ServerTelemetry NONE = new ServerTelemetry() {
        @Override
        public ObservationRegistry registry() {
            return ObservationRegistry.NOOP;
        }

        @Override
        public void close() {}
    };

    /** The registry, with handlers that send observations somewhere. */
    ObservationRegistry registry();

    /** Sends the last observations. */
    @Override
    void close();
}
