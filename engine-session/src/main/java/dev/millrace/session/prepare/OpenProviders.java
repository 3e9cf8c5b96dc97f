package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
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
    private final Map<ExecutionProvider, Runnable> useOf = new IdentityHashMap<>();
    private boolean closed;

    /** Runs an action when all of them are closed. */
    void uses(Runnable end) {
        uses.add(end);
    }

    void add(ExecutionProvider provider) {
        providers.add(provider);
    }

    /** Adds a provider and what ends the use of its library, which is among {@link #uses}. */
    void add(ExecutionProvider provider, Runnable use) {
        add(provider);
        useOf.put(provider, use);
    }

    /**
     * Leaves a provider out whose code is still running. Returns what closes it, to be run when that code has returned; its
     * failures are logged.
     */
    Runnable detach(ExecutionProvider provider) {
        Runnable use = useOf.remove(provider);
        providers.remove(provider);
        compiled.remove(provider);
        uses.remove(use);
        return () -> {
            try {
                ProviderGuard.run(provider.name(), provider::close);
            } catch (EngineException e) {
                System.getLogger(OpenProviders.class.getName())
                        .log(System.Logger.Level.WARNING, "closing after an abandoned call: " + e.getMessage());
            } finally {
                if (use != null) {
                    use.run();
                }
            }
        };
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
