package dev.millrace.server.endpoint;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.net.InetSocketAddress;

/** The failure of an endpoint that cannot have its port. */
public final class ListenFailure {
    private ListenFailure() {}

    /** Returns the failure with the reason of the system, which lies below what the libraries say. */
    public static EngineException of(String protocol, InetSocketAddress address, Exception failure) {
        Throwable reason = failure;
        while (reason.getCause() != null) {
            reason = reason.getCause();
        }
        return new EngineException(
                Status.FAIL,
                protocol + " cannot listen at " + address.getHostString() + ":" + address.getPort() + ": "
                        + reason.getMessage() + "; choose another port, or 0 for any free one",
                failure);
    }
}
