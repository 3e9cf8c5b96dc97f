package dev.millrace.session.prepare;

import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ProviderFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An engine's factories of providers. A thread of its own searches the class path for them while the engine reads its
 * first model, because each jar has to be opened for that.
 */
public final class Factories {
    /**
     * The name of the provider that can run every node and so comes last; providers that are
     * faster for some nodes come first.
     */
    static final String PLAIN = "cpu";

    private final FutureTask<ProviderSearch.Found> found;
    private final ProviderLibraries libraries = new ProviderLibraries();

    private Factories(FutureTask<ProviderSearch.Found> found) {
        this.found = found;
    }

    /** Returns these factories and no others. */
    public static Factories of(Iterable<ProviderFactory> elements) {
        var factories = new Factories(new FutureTask<>(() -> ProviderSearch.of(elements)));
        factories.found.run();
        factories.byName();
        return factories;
    }

    /** Starts a search of a loader's class path and returns its result, which the first query waits for. */
    public static Factories search(ClassLoader loader) {
        var found = new FutureTask<>(() -> ProviderSearch.find(loader, List.of()));
        Thread thread = new Thread(found, "millrace-providers");
        thread.setDaemon(true);
        thread.start();
        return new Factories(found);
    }

    /** Returns the factories of a loader's class path and others, found without a thread. */
    public static Factories search(ClassLoader loader, List<ProviderFactory> others) {
        var factories = new Factories(new FutureTask<>(() -> ProviderSearch.find(loader, others)));
        factories.found.run();
        factories.byName();
        return factories;
    }

    /** Returns the factories by name, in the order in which they are asked by default; waits for a search under way. */
    public Map<String, ProviderFactory> byName() {
        return found().byName();
    }

    /** Sentences about the services on the class path that could not be loaded. */
    public List<String> failures() {
        return found().failures();
    }

    private ProviderSearch.Found found() {
        try {
            return awaited();
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    /** Loads a library of providers, which sessions may name; returns the names of its providers. */
    public List<String> register(String library, Path path) {
        return libraries.register(library, path, byName().keySet());
    }

    /**
     * Closes a library that no model uses, and forgets it.
     *
     * @param forget takes a test for objects of the library's classes, and gives those up, before the library is closed
     */
    public void unregister(String library, Consumer<Predicate<Object>> forget) {
        libraries.unregister(library, forget);
    }

    /** The names of the providers of registered libraries. */
    public List<String> registered() {
        return libraries.providers();
    }

    /** Whether a provider is of a library that was registered for devices that are not present. */
    boolean allowsVirtual(String provider) {
        return libraries.allowsVirtual(provider);
    }

    /** Returns a factory by its name, one of a registered library included; null if there is none. */
    public @Nullable ProviderFactory find(String name) {
        ProviderFactory factory = byName().get(name);
        return factory == null ? libraries.factory(name) : factory;
    }

    /** Keeps the library of a provider, if it is of one, until what is returned is run. */
    Runnable use(String provider) {
        return libraries.use(provider);
    }

    /** Closes all factories that were found; throws the first failure after all were tried. */
    public void close() {
        Map<String, ProviderFactory> all;
        try {
            all = awaited().byName();
        } catch (ExecutionException e) {
            // a search that failed has found none, which whoever asked for one was told
            return;
        }
        var tried = new Tried();
        all.forEach((name, factory) -> tried.call(() -> ProviderGuard.run(name, factory::close)));
        tried.call(libraries::close);
        tried.rethrow();
    }

    private ProviderSearch.Found awaited() throws ExecutionException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return found.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static RuntimeException failure(ExecutionException search) {
        return switch (search.getCause()) {
            case Error error -> throw error;
            case RuntimeException exception -> exception;
            case null, default -> new IllegalStateException(search);
        };
    }

    /** The names of the providers, in the order in which they are asked by default. */
    public List<String> names() {
        return List.copyOf(byName().keySet());
    }
}
