package dev.millrace.session;

import dev.millrace.providers.spi.ProviderDevice;
import java.util.List;

/**
 * A choice among the devices of all providers of an engine, those of registered libraries included, for sessions that name no
 * providers. {@link DevicePreference} has the usual ones.
 */
@FunctionalInterface
public interface DevicePolicy {
    /**
     * Returns the devices that a session uses. Their providers are asked in the order of the result. The providers of the
     * host's processor that are on the class path are asked behind them for the nodes that are left, whether they are chosen
     * or not.
     *
     * @param devices the devices of all providers, in the order in which the providers are asked by default, those of
     *     registered libraries last
     */
    List<ProviderDevice> choose(List<ProviderDevice> devices);
}
