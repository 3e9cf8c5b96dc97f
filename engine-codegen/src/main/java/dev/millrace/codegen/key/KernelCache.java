package dev.millrace.codegen.key;

import dev.millrace.codegen.program.CompiledKernel;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Kernels by something that is found faster than a key: a small piece of work takes less time than it takes to make
 * one. Safe for use by several threads.
 *
 * @param <V> names a member of a family; equal where keys are
 */
public final class KernelCache<V> {
    private final KernelSet kernels;
    private final Function<V, KernelKey> key;
    private final ConcurrentHashMap<V, CompiledKernel> known = new ConcurrentHashMap<>();

    public KernelCache(KernelSet kernels, Function<V, KernelKey> key) {
        this.kernels = kernels;
        this.key = key;
    }

    public CompiledKernel kernel(V variant) {
        CompiledKernel kernel = known.get(variant);
        if (kernel == null) {
            kernel = kernels.kernel(key.apply(variant));
            known.put(variant, kernel);
        }
        return kernel;
    }
}
