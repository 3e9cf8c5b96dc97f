package dev.millrace.spring.boot;

import dev.millrace.session.SessionOptions;

/** Sets options of configured sessions that have no property. Beans of this type are called in their order. */
@FunctionalInterface
public interface SessionOptionsCustomizer {
    /** @param session the name of the session that is about to be opened */
    void customize(String session, SessionOptions.Builder options);
}
