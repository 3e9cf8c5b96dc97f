package dev.millrace.session.prepare;

import dev.millrace.providers.spi.ProviderDevice;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The providers that a session names, or the choice of devices for one that names none.
 *
 * @param named the providers that the session names, in the order in which they are asked
 * @param policy chooses among the devices of all providers; null for all providers on the class path
 */
public record ProviderSelection(
        List<ProviderRequest> named, @Nullable UnaryOperator<List<ProviderDevice>> policy) {
    public ProviderSelection {
        named = List.copyOf(named);
    }

    /** Whether the session names its providers, so that none is left out. */
    boolean isNamed() {
        return !named.isEmpty();
    }

    /** Whether the session names a provider. */
    boolean names(String provider) {
        return named.stream().anyMatch(request -> request.name().equals(provider));
    }
}
