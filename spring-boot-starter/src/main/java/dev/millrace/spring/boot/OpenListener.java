package dev.millrace.spring.boot;

import dev.millrace.session.Engine;
import dev.millrace.session.ReplaceableSession;

/** Is told of an engine and of sessions when they open, to watch them. */
interface OpenListener {
    void opened(Engine engine);

    void opened(String name, ReplaceableSession session);
}
