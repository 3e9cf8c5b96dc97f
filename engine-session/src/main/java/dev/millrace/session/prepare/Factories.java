package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ProviderFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
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
    private static final String PLAIN = "cpu";

    /**
     * The names of the engine's own factories, which are created by name if no services file lists them: a build that
     * merges jars into one keeps only one of several services files, unless it is told to merge those, too.
     */
    private static final List<String> OWN =
            List.of("dev.millrace.providers.simd.SimdFactory", "dev.millrace.providers.cpu.CpuFactory");

    private final FutureTask<Map<String, ProviderFactory>> found;
    private final ProviderLibraries libraries = new ProviderLibraries();

    private Factories(FutureTask<Map<String, ProviderFactory>> found) {
        this.found = found;
    }

    /** Returns these factories and no others. */
    public static Factories of(Iterable<ProviderFactory> elements) {
        var factories = new Factories(new FutureTask<>(() -> inOrder(elements)));
        factories.found.run();
        factories.byName();
        return factories;
    }

    /** Starts a search of a loader's class path and returns its result, which the first query waits for. */
    public static Factories search(ClassLoader loader) {
        var found = new FutureTask<>(() -> inOrder(find(loader)));
        Thread thread = new Thread(found, "millrace-providers");
        thread.setDaemon(true);
        thread.start();
        return new Factories(found);
    }

    /** Returns the factories that a loader finds, without a thread. */
    public static List<ProviderFactory> find(ClassLoader loader) {
        var all = new ArrayList<ProviderFactory>();
        var classes = new HashSet<String>();
        for (ProviderFactory factory : ServiceLoader.load(ProviderFactory.class, loader)) {
            all.add(factory);
            classes.add(factory.getClass().getName());
        }
        for (String own : OWN) {
            if (!classes.contains(own)) {
                addIfThere(own, loader, all);
            }
        }
        return all;
    }

    private static void addIfThere(String name, ClassLoader loader, List<ProviderFactory> all) {
        try {
            all.add((ProviderFactory)
                    loader.loadClass(name).getDeclaredConstructor().newInstance());
        } catch (ClassNotFoundException e) {
            // the provider was left out, or its module was not resolved
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new EngineException(Status.FAIL, name + " is on the class path, but cannot be made: " + e, e);
        }
    }

    private static Map<String, ProviderFactory> inOrder(Iterable<ProviderFactory> elements) {
        var sorted = new ArrayList<ProviderFactory>();
        elements.forEach(sorted::add);
        sorted.sort(Factories::inOrder);
        var byName = new LinkedHashMap<String, ProviderFactory>();
        for (ProviderFactory factory : sorted) {
            if (byName.put(factory.name(), factory) != null) {
                throw EngineException.invalidArgument(
                        "two providers are called '" + factory.name() + "'; leave one of them out");
            }
        }
        return Collections.unmodifiableMap(byName);
    }

    private static int inOrder(ProviderFactory one, ProviderFactory other) {
        int plainLast = Boolean.compare(one.name().equals(PLAIN), other.name().equals(PLAIN));
        return plainLast != 0 ? plainLast : other.name().compareTo(one.name());
    }

    /** Returns the factories by name, in the order in which they are asked by default; waits for a search under way. */
    public Map<String, ProviderFactory> byName() {
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

    /** Closes a library that no model uses, and forgets it. */
    public void unregister(String library) {
        libraries.unregister(library);
    }

    /** The names of the providers of registered libraries. */
    public List<String> registered() {
        return libraries.providers();
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
            all = awaited();
        } catch (ExecutionException e) {
            // a search that failed has found none, which whoever asked for one was told
            return;
        }
        var tried = new Tried();
        all.forEach((name, factory) -> tried.call(() -> ProviderGuard.run(name, factory::close)));
        tried.call(libraries::close);
        tried.rethrow();
    }

    private Map<String, ProviderFactory> awaited() throws ExecutionException {
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
