package dev.millrace.session;

import dev.millrace.providers.spi.ProviderFactory;
import java.util.Collection;
import java.util.List;

/** Closes providers' factories once the engine and the last of its sessions are closed. Thread-safe. */
final class FactoryUse {
    private final Collection<ProviderFactory> factories;
    private int users = 1;

    FactoryUse(Collection<ProviderFactory> factories) {
        this.factories = List.copyOf(factories);
    }

    synchronized void begin() {
        users++;
    }

    void end() {
        if (isLast()) {
            factories.forEach(ProviderFactory::close);
        }
    }

    private synchronized boolean isLast() {
        users--;
        return users == 0;
    }
}
