package dev.millrace.session.prepare;

import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.EngineException;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderLevel;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The environment in which all models of an engine are built.
 *
 * @param factories the factories of the providers that there are
 * @param hardware the devices that providers are offered
 * @param constants the constants that the models of all sessions share
 * @param threads the number of threads that can work on one run
 * @param lowered called when a provider of a model is slower on this machine than it could be
 */
public record Environment(
        Factories factories,
        List<HardwareDevice> hardware,
        Workspaces workspaces,
        SharedConstants constants,
        int threads,
        Runnable lowered) {

    public List<String> providers() {
        return factories.names();
    }

    /** The names of all providers, those of registered libraries last. */
    public List<String> allProviders() {
        return Stream.concat(providers().stream(), factories.registered().stream())
                .toList();
    }

    /** Returns the devices that each provider can drive. */
    public List<ProviderDevice> devices() {
        return allProviders().stream()
                .flatMap(name ->
                        ProviderGuard.required(
                                name, "list of devices", () -> factory(name).devices(hardware))
                                .stream())
                .toList();
    }

    /** Returns the requested providers, or all if none is requested. */
    List<ProviderRequest> requests(List<ProviderRequest> asked) {
        return asked.isEmpty()
                ? providers().stream()
                        .map(name -> new ProviderRequest(name, Map.of()))
                        .toList()
                : asked;
    }

    /**
     * Returns a text that identifies the providers that compile, their options, their versions, their levels and the
     * devices that they drive. If any of these changes, their compiled parts may change, too. The text is the same in
     * every process. The call waits until the providers know their levels.
     */
    public String identity(List<ProviderRequest> asked) {
        var text = new StringBuilder();
        for (ProviderRequest request : requests(asked)) {
            ProviderFactory factory = factory(request.name());
            text.append(request.name()).append(' ').append(factory.version());
            ProviderLevel level = factory.level();
            if (level != null) {
                text.append(' ').append(level.name()).append(": ").append(level.reason());
            }
            text.append(' ').append(new TreeMap<>(request.options()));
            for (ProviderDevice device : factory.devices(hardware)) {
                HardwareDevice driven = device.hardware();
                text.append(" [").append(driven.type()).append(' ').append(driven.vendorId());
                text.append(' ').append(driven.vendor()).append(' ').append(driven.deviceId());
                text.append(' ').append(new TreeMap<>(driven.metadata()));
                text.append(' ').append(new TreeMap<>(device.metadata()));
                text.append(' ').append(new TreeMap<>(device.options())).append(']');
            }
            text.append("; ");
        }
        return text.toString();
    }

    /** Returns the factory of the named provider; throws if there is none. */
    public ProviderFactory factory(String name) {
        ProviderFactory factory = factories.find(name);
        if (factory == null) {
            List<String> registered = factories.registered();
            throw EngineException.invalidArgument("there is no provider '" + name + "'; those on the class path are "
                    + providers()
                    + (registered.isEmpty() ? "" : ", those of registered libraries " + registered)
                    + factories.failures().stream().map("; "::concat).collect(Collectors.joining()));
        }
        return factory;
    }
}
