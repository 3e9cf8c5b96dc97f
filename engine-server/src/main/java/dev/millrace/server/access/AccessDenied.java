package dev.millrace.server.access;

import java.io.Serial;

/** A request whose token does not permit it. */
public final class AccessDenied extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    AccessDenied(String message) {
        super(message);
    }
}
