package dev.millrace.session.prepare;

import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.EngineException;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderLevel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
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
        return allProviders().stream().flatMap(name -> devices(name).stream()).toList();
    }

    /**
     * Returns the providers that a session names, those that its policy chooses, or all on the class path. Throws where the
     * policy does.
     */
    public List<ProviderRequest> requests(ProviderSelection selection) {
        UnaryOperator<List<ProviderDevice>> policy = selection.policy();
        if (policy == null) {
            return selection.isNamed()
                    ? selection.named()
                    : providers().stream().map(ProviderRequest::of).toList();
        }
        List<ProviderDevice> devices = devices();
        var chosen = new LinkedHashMap<String, List<ProviderDevice>>();
        for (ProviderDevice device : policy.apply(devices)) {
            if (!devices.contains(device)) {
                throw EngineException.invalidArgument(
                        "the session's policy chose " + device + ", which is no device of this engine");
            }
            chosen.computeIfAbsent(device.provider(), _ -> new ArrayList<>()).add(device);
        }
        var requests = new ArrayList<ProviderRequest>();
        chosen.forEach((name, of) -> {
            if (!isOfHost(name)) {
                requests.add(new ProviderRequest(name, Map.of(), of));
            }
        });
        providers().stream().filter(this::isOfHost).forEach(name -> requests.add(ProviderRequest.of(name)));
        return requests;
    }

    /** Whether a provider is one of the engine's own, which compute on the host's processor. */
    private boolean isOfHost(String provider) {
        return ProviderSearch.isOwn(factories.find(provider));
    }

    /** Returns the devices that a provider uses: those that were chosen for it, or all that it can drive. */
    List<ProviderDevice> devices(ProviderRequest request) {
        List<ProviderDevice> all = devices(request.name());
        for (ProviderDevice device : request.devices()) {
            if (!all.contains(device)) {
                throw EngineException.invalidArgument("provider '" + request.name() + "' cannot drive "
                        + device.hardware() + " with these properties; it drives "
                        + all.stream().map(ProviderDevice::hardware).toList());
            }
        }
        return request.devices().isEmpty() ? all : request.devices();
    }

    /** Returns the hardware of the devices that a provider can drive. */
    public List<HardwareDevice> hardware(String provider) {
        return devices(provider).stream().map(ProviderDevice::hardware).toList();
    }

    /** Returns the devices that a provider can drive. */
    public List<ProviderDevice> devices(String provider) {
        ProviderFactory factory = factory(provider);
        List<ProviderDevice> devices =
                ProviderGuard.required(provider, "list of devices", () -> factory.devices(hardware));
        if (!factories.allowsVirtual(provider)) {
            return devices;
        }
        var all = new ArrayList<>(devices);
        all.addAll(ProviderGuard.required(provider, "list of virtual devices", factory::virtualDevices));
        return all;
    }

    /**
     * Returns a text that identifies the providers that compile, their options, their versions, their levels and the
     * devices that they drive. If any of these changes, their compiled parts may change, too. The text is the same in
     * every process. The call waits until the providers know their levels.
     */
    public String identity(ProviderSelection asked) {
        var text = new StringBuilder();
        for (ProviderRequest request : requests(asked)) {
            ProviderFactory factory = factory(request.name());
            text.append(request.name()).append(' ').append(factory.version());
            ProviderLevel level = factory.level();
            if (level != null) {
                text.append(' ').append(level.name()).append(": ").append(level.reason());
            }
            text.append(' ').append(new TreeMap<>(request.options()));
            for (ProviderDevice device : devices(request)) {
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
