package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.store.ObjectStoreProvider;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The kinds of object stores that modules on the class path bring. */
final class ObjectStores {
    /** The scheme of S3, whose names are known without the module that reads them. */
    static final String S3 = "s3";

    private static final Pattern NAME = Pattern.compile("([a-z][a-z0-9]*)://.*", Pattern.DOTALL);

    private ObjectStores() {}

    /** Whether a text is a name in an object store. */
    static boolean isName(String text) {
        String scheme = scheme(text);
        return scheme != null && (scheme.equals(S3) || find(scheme) != null);
    }

    private static @Nullable String scheme(String text) {
        Matcher name = NAME.matcher(text);
        return name.matches() && !name.group(1).matches("https?|file") ? name.group(1) : null;
    }

    private static @Nullable ObjectStoreProvider find(String scheme) {
        for (ObjectStoreProvider each : ServiceLoader.load(ObjectStoreProvider.class)) {
            if (each.scheme().equals(scheme)) {
                return each;
            }
        }
        return null;
    }

    /** Returns the store of a name. */
    static ObjectStoreProvider require(String name) {
        String scheme = scheme(name);
        ObjectStoreProvider found = scheme == null ? null : find(scheme);
        if (found == null) {
            throw new EngineException(
                    Status.NOT_IMPLEMENTED,
                    "'" + name + "' is a name in an object store, which the module millrace-models-" + scheme
                            + " reads; it is not on the class path");
        }
        return found;
    }
}
