package dev.millrace.graph;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A copy of what code of a foreign class loader has thrown, with its text, its stack trace and its causes. It refers to no
 * class of that loader, which can be unloaded while somebody still holds the failure.
 */
public final class ForeignFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private ForeignFailure(Throwable original, @Nullable Throwable cause) {
        super(original.toString(), cause);
        setStackTrace(original.getStackTrace());
    }

    /** Returns a throwable that refers to no class of a foreign loader: itself where it does not either. */
    public static Throwable neutral(Throwable thrown) {
        return isForeign(thrown, Collections.newSetFromMap(new IdentityHashMap<>())) ? copy(thrown, 0) : thrown;
    }

    private static Throwable copy(Throwable thrown, int depth) {
        Throwable cause = thrown.getCause();
        Throwable copied = cause == null || depth > 20 ? null : copy(cause, depth + 1);
        if (thrown instanceof EngineException known && known.getClass() == EngineException.class) {
            var same = new EngineException(known.status(), String.valueOf(known.getMessage()), copied);
            same.setStackTrace(known.getStackTrace());
            return same;
        }
        return new ForeignFailure(thrown, copied);
    }

    private static boolean isForeign(Throwable thrown, Set<Throwable> seen) {
        if (!seen.add(thrown)) {
            return false;
        }
        if (!isOurs(thrown.getClass().getClassLoader())) {
            return true;
        }
        Throwable cause = thrown.getCause();
        if (cause != null && isForeign(cause, seen)) {
            return true;
        }
        for (Throwable suppressed : thrown.getSuppressed()) {
            if (isForeign(suppressed, seen)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a loader is the engine's, or one that the engine's delegates to. */
    private static boolean isOurs(@Nullable ClassLoader loader) {
        for (ClassLoader each = ForeignFailure.class.getClassLoader(); each != null; each = each.getParent()) {
            if (each == loader) {
                return true;
            }
        }
        return loader == null;
    }
}
