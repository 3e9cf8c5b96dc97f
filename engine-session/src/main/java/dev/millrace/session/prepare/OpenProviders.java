package dev.millrace.session.prepare;

import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The providers of one model, with the kernels that they compiled. Each kernel is released once and each provider closed once,
 * whatever the others throw. Not thread-safe.
 */
public final class OpenProviders implements AutoCloseable {
    private final List<ExecutionProvider> providers = new ArrayList<>();
    private final Map<ExecutionProvider, Set<Kernel>> compiled = new IdentityHashMap<>();
    private final List<Runnable> uses = new ArrayList<>();
    private boolean closed;

    /** Runs an action when all of them are closed. */
    void uses(Runnable end) {
        uses.add(end);
    }

    void add(ExecutionProvider provider) {
        providers.add(provider);
    }

    /** The providers, in the order in which they are asked. */
    public List<ExecutionProvider> all() {
        return Collections.unmodifiableList(providers);
    }

    /** Records the kernels that a provider compiled, which may be fewer than it was asked for. */
    void compiled(ExecutionProvider provider, List<? extends @Nullable Kernel> kernels) {
        Set<Kernel> known = compiled.computeIfAbsent(provider, _ -> Collections.newSetFromMap(new IdentityHashMap<>()));
        kernels.stream().filter(Objects::nonNull).forEach(known::add);
    }

    /** Makes a provider free all kernels that it has compiled so far. */
    void release(ExecutionProvider provider) {
        Set<Kernel> kernels = compiled.remove(provider);
        if (kernels != null) {
            ProviderGuard.run(provider.name(), () -> provider.release(List.copyOf(kernels)));
        }
    }

    /** Frees the kernels and closes the providers; the first failure is thrown once all of that was tried. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        var tried = new Tried();
        for (ExecutionProvider provider : providers) {
            tried.call(() -> release(provider));
            tried.call(() -> ProviderGuard.run(provider.name(), provider::close));
        }
        providers.clear();
        uses.forEach(Runnable::run);
        tried.rethrow();
    }
}
