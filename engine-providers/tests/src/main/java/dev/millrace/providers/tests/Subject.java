package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.scheduler.device.Device;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** The provider under test, and a folder for the files of one test. */
final class Subject {
    private static final String LIBRARY = "under test";

    private final ProviderTests tests;
    private final Path folder;

    Subject(ProviderTests tests, Path folder) {
        this.tests = tests;
        this.folder = folder;
    }

    /** An engine that has the provider. */
    record Host(Engine engine, String provider, Subject subject) implements AutoCloseable {
        /** Opens a session that asks the provider first. */
        Session session(byte[] model) {
            return engine.session(model, options(subject.tests.options()).build());
        }

        Session session(byte[] model, Consumer<SessionOptions.Builder> change) {
            SessionOptions.Builder options = options(subject.tests.options());
            change.accept(options);
            return engine.session(model, options.build());
        }

        /** The options of sessions that ask the provider first, and {@code cpu} for what it leaves. */
        SessionOptions.Builder options(Map<String, String> ofProvider) {
            SessionOptions.Builder options = SessionOptions.builder().provider(provider, ofProvider);
            return provider.equals("cpu") ? options : options.provider("cpu");
        }

        SessionOptions.Builder options() {
            return options(subject.tests.options());
        }

        /** Opens a session of {@code cpu} alone. */
        Session reference(byte[] model) {
            return engine.session(
                    model, SessionOptions.builder().provider("cpu").build());
        }

        /** Whether the provider runs a part of a session. */
        boolean takesPart(Session session) {
            return session.label().providers().contains(provider);
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    /** Creates an engine that has the provider. */
    Host host() {
        return host(EngineOptions.builder().threads(2));
    }

    Host host(EngineOptions.Builder options) {
        Path jar = tests.library();
        if (jar != null) {
            Engine engine = Engine.create(options.build());
            return new Host(engine, register(engine, LIBRARY, jar), this);
        }
        ProviderFactory factory = tests.factory();
        if (factory == null) {
            throw new AssertionError(tests.getClass().getName() + " overrides neither factory() nor library()");
        }
        String provider = factory.name();
        if (isInstalled(factory)) {
            factory.close();
            return new Host(Engine.create(options.build()), provider, this);
        }
        return new Host(Engine.create(options.providers(List.of(factory)).build()), provider, this);
    }

    /** Registers the jar. Returns the name of its provider. */
    String register(Engine engine, String name, Path jar) {
        List<String> providers = engine.registerProviderLibrary(name, jar);
        assertEquals(1, providers.size(), () -> jar + " has these providers: " + providers);
        return providers.getFirst();
    }

    private static boolean isInstalled(ProviderFactory factory) {
        return ServiceLoader.load(ProviderFactory.class).stream()
                .anyMatch(installed -> installed.type().equals(factory.getClass()));
    }

    /** The device of a session that works on its own; where there is none, the calling test is skipped. */
    static Device device(Session session) {
        return session.devices().stream()
                .filter(Device::isAsynchronous)
                .findFirst()
                .orElseGet(() -> Assumptions.abort("the provider has no device that works on its own"));
    }

    ProviderTests tests() {
        return tests;
    }

    /** The jar; where there is none, the calling test is skipped. */
    Path jar() {
        @Nullable Path jar = tests.library();
        return jar == null ? Assumptions.abort("library() names no jar") : jar;
    }

    Path file(String name) {
        return folder.resolve(name);
    }
}
