package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ForeignFailure;
import dev.millrace.graph.Status;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ProviderFactory;
import java.io.IOException;
import java.lang.module.Configuration;
import java.lang.module.FindException;
import java.lang.module.ModuleFinder;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A library of providers that an engine has loaded: the jars of a file or folder with a class loader of their own, or with a
 * layer of modules where they have module descriptors, and the factories in them.
 */
final class ProviderLibrary {
    private final String name;
    private final Map<String, ProviderFactory> factories = new LinkedHashMap<>();
    private final @Nullable URLClassLoader loader;
    private int users;

    private ProviderLibrary(String name, @Nullable URLClassLoader loader) {
        this.name = name;
        this.loader = loader;
    }

    /** Loads the library at a path: a jar, or a folder of jars or classes. */
    static ProviderLibrary load(String name, Path path) {
        if (!Files.exists(path)) {
            throw new EngineException(
                    Status.NOT_FOUND, "provider library '" + name + "': there is no file or folder " + path);
        }
        try {
            ProviderLibrary library = loadModules(name, path);
            return library == null ? loadClasses(name, path) : library;
        } catch (EngineException e) {
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            throw EngineException.wrap(
                    Status.EP_FAIL, "provider library '" + name + "' (" + path + ")", ForeignFailure.neutral(e));
        }
    }

    /** Loads jars with module descriptors as a layer; null where there are none. */
    private static @Nullable ProviderLibrary loadModules(String name, Path path) {
        ModuleFinder finder = ModuleFinder.of(path);
        List<String> roots;
        try {
            roots = finder.findAll().stream()
                    .filter(each -> !each.descriptor().isAutomatic())
                    .map(each -> each.descriptor().name())
                    .toList();
        } catch (FindException e) {
            // a folder of classes, or jars whose names make no names of modules
            return null;
        }
        ModuleLayer parent = ProviderFactory.class.getModule().getLayer();
        if (roots.isEmpty() || parent == null) {
            return null;
        }
        Configuration configuration = parent.configuration().resolveAndBind(finder, ModuleFinder.of(), roots);
        ModuleLayer layer = parent.defineModulesWithOneLoader(configuration, ProviderLibrary.class.getClassLoader());
        var library = new ProviderLibrary(name, null);
        library.add(ServiceLoader.load(layer, ProviderFactory.class).stream()
                .filter(each -> each.type().getModule().getLayer() == layer));
        return library;
    }

    private static ProviderLibrary loadClasses(String name, Path path) throws IOException {
        var loader = new URLClassLoader(
                "millrace provider library " + name, urls(path), ProviderLibrary.class.getClassLoader());
        try {
            var library = new ProviderLibrary(name, loader);
            library.add(ServiceLoader.load(ProviderFactory.class, loader).stream()
                    .filter(each -> each.type().getClassLoader() == loader));
            return library;
        } catch (RuntimeException | Error e) {
            loader.close();
            throw e;
        }
    }

    private static URL[] urls(Path path) throws IOException {
        var urls = new ArrayList<URL>();
        urls.add(url(path));
        if (Files.isDirectory(path)) {
            try (Stream<Path> files = Files.list(path)) {
                for (Path jar : files.filter(each -> each.toString().endsWith(".jar"))
                        .sorted()
                        .toList()) {
                    urls.add(url(jar));
                }
            }
        }
        return urls.toArray(new URL[0]);
    }

    private static URL url(Path path) throws MalformedURLException {
        return path.toUri().toURL();
    }

    private void add(Stream<ServiceLoader.Provider<ProviderFactory>> found) {
        for (ProviderFactory factory : found.map(ServiceLoader.Provider::get).toList()) {
            String provider = ProviderGuard.required(name, "name of a provider", () -> ProviderSearch.check(factory));
            if (factories.put(provider, factory) != null) {
                throw EngineException.invalidArgument(
                        "provider library '" + name + "' has two providers called '" + provider + "'");
            }
        }
        if (factories.isEmpty()) {
            throw EngineException.invalidArgument("provider library '" + name + "' has no provider: no service of type "
                    + ProviderFactory.class.getName());
        }
    }

    String name() {
        return name;
    }

    Map<String, ProviderFactory> factories() {
        return factories;
    }

    /** Whether an object's class was loaded with the library. */
    boolean owns(Object object) {
        return factories.values().stream()
                .anyMatch(factory ->
                        factory.getClass().getClassLoader() == object.getClass().getClassLoader());
    }

    void beginUse() {
        users++;
    }

    void endUse() {
        users--;
    }

    int users() {
        return users;
    }

    /** Closes its factories and its class loader; throws the first failure after all were tried. */
    void close() {
        var tried = new Tried();
        factories.forEach((provider, factory) -> tried.call(() -> ProviderGuard.run(provider, factory::close)));
        if (loader != null) {
            tried.call(() -> {
                try {
                    loader.close();
                } catch (IOException e) {
                    throw EngineException.wrap(Status.FAIL, "provider library '" + name + "'", e);
                }
            });
        }
        factories.clear();
        tried.rethrow();
    }

    @Override
    public String toString() {
        return name + " (" + factories.keySet().stream().collect(Collectors.joining(", ")) + ")";
    }
}
