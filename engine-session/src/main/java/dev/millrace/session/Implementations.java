package dev.millrace.session;

import java.util.function.Function;

/**
 * The classes behind the static methods of the interfaces. They are found by their names, so that the package of the interfaces
 * refers to no package that implements it.
 */
final class Implementations {
    private Implementations() {}

    /**
     * Returns the function of a class of this module.
     *
     * @param name the class, with its package below this one
     */
    @SuppressWarnings("unchecked")
    static <A, R> Function<A, R> named(String name) {
        String full = Implementations.class.getPackageName() + "." + name;
        try {
            return (Function<A, R>) Class.forName(full).getConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the module dev.millrace.session lacks its class " + full, e);
        }
    }
}
