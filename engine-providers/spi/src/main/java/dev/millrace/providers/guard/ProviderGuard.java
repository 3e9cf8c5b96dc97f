package dev.millrace.providers.guard;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ForeignFailure;
import dev.millrace.graph.Status;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls the code of a provider. Whatever it throws, a class that cannot be linked included, leaves as an {@link
 * EngineException} that names the provider and holds none of its classes.
 */
public final class ProviderGuard {
    private ProviderGuard() {}

    /** The result of a call, which may be null where the provider has none to give. */
    public static <T extends @Nullable Object> T call(String provider, Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            throw named(provider, e);
        }
    }

    /** The result of a call that has to have one. */
    public static <T> T required(String provider, String what, Supplier<@Nullable T> call) {
        T result = call(provider, call);
        if (result == null) {
            throw new EngineException(Status.EP_FAIL, place(provider) + " returned no " + what);
        }
        return result;
    }

    public static void run(String provider, Runnable call) {
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            throw named(provider, e);
        }
    }

    /** The failure of a call that threw: the provider's own where it is one of the engine's, else EP_FAIL. */
    public static EngineException named(String provider, Throwable thrown) {
        return EngineException.wrap(Status.EP_FAIL, place(provider), ForeignFailure.neutral(thrown));
    }

    private static String place(String provider) {
        return "provider '" + provider + "'";
    }
}
