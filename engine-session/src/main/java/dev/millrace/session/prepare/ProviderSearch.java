package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ForeignFailure;
import dev.millrace.graph.Status;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.SpiVersion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * A search for factories of providers on a class path. A service that cannot be loaded, or that fails when it is first asked,
 * is recorded and left out: the others are not affected.
 */
final class ProviderSearch {
    private static final System.Logger LOG = System.getLogger(ProviderSearch.class.getName());

    /** The number of failures after which a search ends: an iterator of services may fail at one place for ever. */
    private static final int MOST_FAILURES = 100;

    /**
     * The names of the engine's own factories, which are created by name if no services file lists them: a build that
     * merges jars into one keeps only one of several services files, unless it is told to merge those, too.
     */
    private static final List<String> OWN =
            List.of("dev.millrace.providers.simd.SimdFactory", "dev.millrace.providers.cpu.CpuFactory");

    /**
     * The result of a search.
     *
     * @param byName the factories by name, in the order in which they are asked by default
     * @param failures a sentence for each service that was left out
     */
    record Found(Map<String, ProviderFactory> byName, List<String> failures) {}

    private final List<ProviderFactory> all = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    private ProviderSearch() {}

    /** Finds the factories on a class path, and adds others to them. */
    static Found find(ClassLoader loader, List<ProviderFactory> others) {
        var search = new ProviderSearch();
        search.services(loader);
        search.all.addAll(others);
        search.failures.forEach(failure -> LOG.log(System.Logger.Level.WARNING, failure));
        return new Found(search.byName(), List.copyOf(search.failures));
    }

    /** Arranges factories that a caller made. */
    static Found of(Iterable<ProviderFactory> factories) {
        var search = new ProviderSearch();
        factories.forEach(search.all::add);
        return new Found(search.byName(), List.of());
    }

    private void services(ClassLoader loader) {
        var classes = new HashSet<String>();
        Iterator<ProviderFactory> services =
                ServiceLoader.load(ProviderFactory.class, loader).iterator();
        while (failures.size() < MOST_FAILURES) {
            try {
                if (!services.hasNext()) {
                    break;
                }
                ProviderFactory factory = services.next();
                ProviderGuard.run(factory.getClass().getName(), () -> check(factory));
                all.add(factory);
                classes.add(factory.getClass().getName());
            } catch (EngineException | ServiceConfigurationError | LinkageError e) {
                Throwable neutral = ForeignFailure.neutral(e);
                failures.add("a provider on the class path is left out: " + neutral.getMessage()
                        + (neutral.getCause() == null ? "" : " (" + neutral.getCause() + ")"));
            }
        }
        for (String own : OWN) {
            if (!classes.contains(own)) {
                addIfThere(own, loader);
            }
        }
    }

    private void addIfThere(String name, ClassLoader loader) {
        try {
            all.add((ProviderFactory)
                    loader.loadClass(name).getDeclaredConstructor().newInstance());
        } catch (ClassNotFoundException e) {
            // the provider was left out, or its module was not resolved
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new EngineException(Status.FAIL, name + " is on the class path, but cannot be made: " + e, e);
        }
    }

    /** Throws where a factory has no name, or was compiled against a newer interface than the engine's. */
    static String check(ProviderFactory factory) {
        String name = factory.name();
        if (name == null || name.isBlank()) {
            throw new EngineException(Status.EP_FAIL, "it has no name");
        }
        int version = factory.spiVersion();
        if (version > SpiVersion.CURRENT) {
            throw new EngineException(
                    Status.EP_FAIL,
                    "provider '" + name + "' was compiled against version " + version
                            + " of the provider interface, and this engine has version " + SpiVersion.CURRENT
                            + "; use a newer engine or an older provider");
        }
        return name;
    }

    private Map<String, ProviderFactory> byName() {
        all.sort(ProviderSearch::inOrder);
        var byName = new LinkedHashMap<String, ProviderFactory>();
        for (ProviderFactory factory : all) {
            if (byName.put(factory.name(), factory) != null) {
                throw EngineException.invalidArgument(
                        "two providers are called '" + factory.name() + "'; leave one of them out");
            }
        }
        return Collections.unmodifiableMap(byName);
    }

    private static int inOrder(ProviderFactory one, ProviderFactory other) {
        int plainLast = Boolean.compare(isPlain(one), isPlain(other));
        return plainLast != 0 ? plainLast : other.name().compareTo(one.name());
    }

    private static boolean isPlain(ProviderFactory factory) {
        return factory.name().equals(Factories.PLAIN);
    }

    /** Whether a factory is one of the engine's own, without which no session works as it should. */
    static boolean isOwn(@Nullable ProviderFactory factory) {
        return factory != null && OWN.contains(factory.getClass().getName());
    }

    /** Whether a provider was made by one of the engine's own factories. */
    static boolean isOwn(ExecutionProvider provider) {
        return OWN.stream().anyMatch(own -> own.startsWith(provider.getClass().getPackageName() + "."));
    }
}
