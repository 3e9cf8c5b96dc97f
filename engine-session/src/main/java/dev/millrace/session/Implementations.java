package dev.millrace.session;

import java.nio.file.Path;
import java.util.function.Function;

/**
 * The classes behind the static methods of the interfaces. They are found by their names, so that the package of the interfaces
 * refers to no package that implements it.
 */
final class Implementations {
    private Implementations() {}

    static Engine engine(EngineOptions options) {
        return Implementations.<EngineOptions, Engine>named("runtime.EngineFactory")
                .apply(options);
    }

    static ReplaceableSession replaceable(Session first) {
        return Implementations.<Session, ReplaceableSession>named("runtime.ReplaceableSessionFactory")
                .apply(first);
    }

    static ModelPackage modelPackage(Path folder) {
        return Implementations.<Path, ModelPackage>named("modelpackage.ModelPackageFactory")
                .apply(folder);
    }

    @SuppressWarnings("unchecked")
    private static <A, R> Function<A, R> named(String name) {
        String full = Implementations.class.getPackageName() + "." + name;
        try {
            return (Function<A, R>) Class.forName(full).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the module dev.millrace.session lacks its class " + full, e);
        }
    }
}
