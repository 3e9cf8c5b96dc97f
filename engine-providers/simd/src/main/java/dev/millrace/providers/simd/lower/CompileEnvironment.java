package dev.millrace.providers.simd.lower;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.graph.ir.Node;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.providers.simd.program.RunBlocks;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The environment that all programs of a provider are compiled in: kernels, drivers for any shape, packed weights. Safe
 * for use by several threads.
 */
public final class CompileEnvironment {
    private final KernelSet kernels;
    private final Gemm gemm;
    private final Weights weights;
    private final RunBlocks blocks;
    private final KernelFactory fallback;
    private final boolean strict;
    private final TuningCache choices;
    private final ConcurrentHashMap<Object, Object> drivers;
    private final ConcurrentHashMap<Node, Kernel> others;

    /** @param fallback kernels of another provider, for nodes that no rule lowers */
    public CompileEnvironment(KernelSet kernels, Gemm gemm, Weights weights, KernelFactory fallback) {
        this(
                kernels,
                gemm,
                weights,
                new RunBlocks(),
                fallback,
                false,
                TuningCache.counted(),
                new ConcurrentHashMap<>(),
                new ConcurrentHashMap<>());
    }

    private CompileEnvironment(
            KernelSet kernels,
            Gemm gemm,
            Weights weights,
            RunBlocks blocks,
            KernelFactory fallback,
            boolean strict,
            TuningCache choices,
            ConcurrentHashMap<Object, Object> drivers,
            ConcurrentHashMap<Node, Kernel> others) {
        this.kernels = kernels;
        this.gemm = gemm;
        this.weights = weights;
        this.blocks = blocks;
        this.fallback = fallback;
        this.strict = strict;
        this.choices = choices;
        this.drivers = drivers;
        this.others = others;
    }

    /** Returns a kit with the same kernels and drivers, but other weights. */
    public CompileEnvironment with(Weights otherWeights) {
        return new CompileEnvironment(kernels, gemm, otherWeights, blocks, fallback, strict, choices, drivers, others);
    }

    /** Returns this kit for programs whose runs take their memory from other blocks. */
    public CompileEnvironment with(RunBlocks otherBlocks) {
        return new CompileEnvironment(kernels, gemm, weights, otherBlocks, fallback, strict, choices, drivers, others);
    }

    /** Returns this kit for programs whose sums are as exact as fp32 allows, or need not be. */
    public CompileEnvironment strict(boolean wanted) {
        return new CompileEnvironment(kernels, gemm, weights, blocks, fallback, wanted, choices, drivers, others);
    }

    /** Returns this kit for programs whose methods are chosen by {@code others}. */
    public CompileEnvironment choosing(TuningCache others) {
        return new CompileEnvironment(kernels, gemm, weights, blocks, fallback, strict, others, drivers, this.others);
    }

    /** The choice between methods for the same work. */
    public TuningCache choices() {
        return choices;
    }

    /** Whether sums are as exact as fp32 allows: then no convolution is done by Winograd. */
    public boolean isStrict() {
        return strict;
    }

    public KernelSet kernels() {
        return kernels;
    }

    public Gemm gemm() {
        return gemm;
    }

    public Weights weights() {
        return weights;
    }

    /** The blocks of memory that runs compute in. */
    RunBlocks blocks() {
        return blocks;
    }

    /** Returns the kernel of another provider for a node, created once; null where there is none. */
    public @Nullable Kernel fallback(Node node) {
        Kernel known = others.get(node);
        if (known == null) {
            known = fallback.create(node);
            if (known != null) {
                others.put(node, known);
            }
        }
        return known;
    }

    /** The number of channels in a block of blocked images (the c of NCHWc). */
    public int block() {
        return kernels.target().lanes();
    }

    /** Returns a driver that is created once. The key is a value that covers everything the driver depends on. */
    @SuppressWarnings("unchecked") // equal keys are used with one type of driver
    public <T> T driver(Object key, Supplier<T> make) {
        Object known = drivers.get(key);
        if (known == null) {
            known = make.get();
            Object before = drivers.putIfAbsent(key, known);
            known = before == null ? known : before;
        }
        return (T) known;
    }
}
