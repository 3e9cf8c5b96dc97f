package dev.millrace.spring.boot;

import org.jspecify.annotations.Nullable;

/**
 * The event that makes sessions read their properties and models again. The publisher gets the failure if a model does not
 * open; the earlier model goes on then.
 *
 * @param session the name of a session; null for all
 */
public record SessionReload(@Nullable String session) {
    /** Returns the event for all sessions. */
    public static SessionReload all() {
        return new SessionReload(null);
    }
}
