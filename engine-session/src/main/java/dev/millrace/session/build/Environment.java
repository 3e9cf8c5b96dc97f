package dev.millrace.session.build;

import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderLevel;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What all models of an engine are built with.
 *
 * @param factories of the providers that there are
 * @param hardware what providers are offered
 * @param constants shared by the models of all sessions
 * @param threads how many threads can work on one run
 * @param lowered called where a provider of a model is slower here than it could be
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

    /** Those asked for, or all where nobody asks for any. */
    List<ProviderRequest> requests(List<ProviderRequest> asked) {
        return asked.isEmpty()
                ? providers().stream()
                        .map(name -> new ProviderRequest(name, Map.of()))
                        .toList()
                : asked;
    }

    /**
     * Which providers compile, what they are told, their versions, how they compute here, and the devices that they drive: where any
     * of that is another, what they make may be. The same text in every process. Waits until the providers know their levels.
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

    /** The provider of a name; throws where there is none. */
    public ProviderFactory factory(String name) {
        ProviderFactory factory = factories.byName().get(name);
        if (factory == null) {
            throw EngineException.invalidArgument(
                    "there is no provider '" + name + "'; those on the class path are " + providers());
        }
        return factory;
    }
}
