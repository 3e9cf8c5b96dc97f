package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ProviderFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The libraries of providers that were registered with an engine, by the names that they were registered under. */
public final class ProviderLibraries {
    /** The end of the names of libraries whose providers may compile for devices that are not present. */
    private static final String VIRTUAL = ".virtual";

    private final Map<String, ProviderLibrary> libraries = new LinkedHashMap<>();

    /**
     * Loads a library.
     *
     * @param taken the names of the engine's other providers
     * @return the names of its providers
     */
    synchronized List<String> register(String name, Path path, Set<String> taken) {
        if (libraries.containsKey(name)) {
            throw EngineException.invalidArgument("a provider library '" + name + "' is registered already");
        }
        ProviderLibrary library = ProviderLibrary.load(name, path);
        for (String provider : library.factories().keySet()) {
            if (taken.contains(provider) || find(provider) != null) {
                library.close();
                throw EngineException.invalidArgument("provider library '" + name + "' has a provider '" + provider
                        + "', and the engine has one of that name already");
            }
        }
        libraries.put(name, library);
        return List.copyOf(library.factories().keySet());
    }

    /**
     * Closes a library and forgets it.
     *
     * @param forget takes a test for objects of the library's classes, and gives those up, before the library is closed
     */
    synchronized void unregister(String name, Consumer<Predicate<Object>> forget) {
        ProviderLibrary library = libraries.get(name);
        if (library == null) {
            throw new EngineException(
                    Status.NOT_FOUND,
                    "no provider library '" + name + "' is registered; there are " + libraries.keySet());
        }
        if (library.users() > 0) {
            throw new EngineException(
                    Status.FAIL,
                    "provider library '" + name + "' is in use by " + library.users()
                            + (library.users() == 1 ? " model" : " models") + "; close their sessions first");
        }
        libraries.remove(name);
        var tried = new Tried();
        tried.call(() -> ProviderGuard.run(name, () -> forget.accept(library::owns)));
        tried.call(library::close);
        tried.rethrow();
    }

    private @Nullable ProviderLibrary find(String provider) {
        return libraries.values().stream()
                .filter(library -> library.factories().containsKey(provider))
                .findFirst()
                .orElse(null);
    }

    synchronized @Nullable ProviderFactory factory(String provider) {
        ProviderLibrary library = find(provider);
        return library == null ? null : library.factories().get(provider);
    }

    /** Whether a provider is of a library whose name ends in {@link #VIRTUAL}. */
    synchronized boolean allowsVirtual(String provider) {
        ProviderLibrary library = find(provider);
        return library != null && library.name().endsWith(VIRTUAL);
    }

    /** The names of all providers. */
    synchronized List<String> providers() {
        return libraries.values().stream()
                .flatMap(library -> library.factories().keySet().stream())
                .toList();
    }

    /** Keeps the library of a provider, if it is of one, until what is returned is run. */
    synchronized Runnable use(String provider) {
        ProviderLibrary library = find(provider);
        if (library == null) {
            return () -> {};
        }
        library.beginUse();
        var hasEnded = new AtomicBoolean();
        return () -> {
            if (!hasEnded.getAndSet(true)) {
                synchronized (this) {
                    library.endUse();
                }
            }
        };
    }

    /** Closes all of them; throws the first failure after all were tried. */
    synchronized void close() {
        var tried = new Tried();
        new ArrayList<>(libraries.values()).forEach(library -> tried.call(library::close));
        libraries.clear();
        tried.rethrow();
    }
}
