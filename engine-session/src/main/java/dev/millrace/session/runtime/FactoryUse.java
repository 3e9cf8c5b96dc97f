package dev.millrace.session.runtime;

import dev.millrace.session.prepare.Factories;

/** Closes providers' factories once the engine and the last of its sessions are closed. Thread-safe. */
final class FactoryUse {
    private final Factories factories;
    private int users = 1;

    FactoryUse(Factories factories) {
        this.factories = factories;
    }

    synchronized void begin() {
        users++;
    }

    void end() {
        if (isLast()) {
            factories.close();
        }
    }

    private synchronized boolean isLast() {
        users--;
        return users == 0;
    }
}
