package dev.millrace.session;

import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.session.runtime.OpenEngine;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/** Engines with the installed providers and providers of a test. */
final class TestEngines {
    private TestEngines() {}

    private static List<ProviderFactory> installed() {
        var providers = new ArrayList<ProviderFactory>();
        ServiceLoader.load(ProviderFactory.class).forEach(providers::add);
        return providers;
    }

    /** Creates an engine of one thread that has {@code factory} behind the installed providers. */
    static Engine with(ProviderFactory factory) {
        return with(factory, EngineOptions.builder().threads(1).build());
    }

    static Engine with(ProviderFactory factory, EngineOptions options) {
        return with(List.of(factory), options);
    }

    static Engine with(List<? extends ProviderFactory> factories, EngineOptions options) {
        List<ProviderFactory> providers = installed();
        providers.addAll(factories);
        return OpenEngine.create(options, providers);
    }

    /**
     * Creates an engine of one thread whose installed providers are listened to.
     *
     * @param atLeast the least bytes of a block that counts
     * @param kept takes the addresses of those blocks that the providers hand in
     */
    static Engine listened(long atLeast, List<Long> kept) {
        List<ProviderFactory> providers = installed();
        providers.replaceAll(each -> new ListenedFactory(each, atLeast, kept));
        return OpenEngine.create(EngineOptions.builder().threads(1).build(), providers);
    }
}
