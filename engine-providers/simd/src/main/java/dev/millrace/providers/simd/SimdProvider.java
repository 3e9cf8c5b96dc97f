package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.simd.context.ContextKernel;
import dev.millrace.providers.simd.context.ContextReader;
import dev.millrace.providers.simd.context.ContextWriter;
import dev.millrace.providers.simd.context.Machine;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.TuningCache;
import dev.millrace.providers.simd.program.RunBlocks;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.providers.spi.WeightlessSupport;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Compiles partitions into programs of fast kernels. */
final class SimdProvider implements ExecutionProvider {
    static final String NAME = "simd";
    /** The option for sums as exact as fp32 allows. */
    static final String STRICT = "strict";
    /** The option for contexts that any machine can load. */
    static final String PORTABLE = "portable";

    /** The option to measure ways of doing the same where there are several. */
    static final String TUNE = "tune";

    static final WeightlessSupport SUPPORT = WeightlessSupport.ALL_OR_EXTERNAL_ONLY;

    /** Asked for when something is compiled: until then, another thread may still be finding out what there is. */
    private final Supplier<Kernels> kernels;

    private final Weights weights;
    private final RunBlocks blocks;
    private final boolean strict;
    private final boolean portable;
    private final boolean tuned;
    /** How contexts that were written hold weights. */
    private Machine.Weights kept = Machine.Weights.ANY;

    SimdProvider(
            Supplier<Kernels> kernels,
            PackedTensors shared,
            RunBlocks blocks,
            boolean strict,
            boolean portable,
            boolean tuned) {
        this.kernels = kernels;
        this.blocks = blocks;
        this.strict = strict;
        this.portable = portable;
        this.tuned = tuned;
        weights = new Weights(shared, bytes -> kernels.get().set().allocate(bytes));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void claim(Graph graph, CapabilitySink sink) {
        Claims.claim(name(), graph, sink, () -> kernels.get().platform().isStopgap());
    }

    @Override
    public ProviderLevel computeLevel() {
        return SimdFactory.level(kernels.get().platform());
    }

    @Override
    public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
        Kernels present = kernels.get();
        var environment = new CompileEnvironment(present.set(), present.gemm(), weights, context.fallback())
                .with(blocks)
                .strict(strict)
                .choosing(tuned ? TuningCache.measured() : TuningCache.counted());
        ContextSink sink = context.sink();
        ContextWriter writer = sink == null ? null : new ContextWriter(sink, environment, portable);
        var compiled = new ArrayList<Kernel>(partitions.size());
        for (Partition partition : partitions) {
            context.checkCancelled();
            try {
                compiled.add(
                        partition.isContext()
                                ? resolve(partition, context, environment)
                                : compile(partition, environment, writer));
            } catch (RuntimeException e) {
                throw EngineException.wrap(Status.EP_FAIL, "partition '" + partition.name() + "'", e);
            }
        }
        if (writer != null) {
            kept = writer.kept();
        }
        return compiled;
    }

    private static Kernel compile(Partition partition, CompileEnvironment environment, @Nullable ContextWriter writer) {
        PromoteFloat16.widen(partition.graph());
        var kernel = new SimdKernel(partition.graph(), environment);
        if (writer != null) {
            writer.keep(partition);
        }
        return kernel;
    }

    private static Kernel resolve(Partition partition, CompileContext context, CompileEnvironment environment) {
        CompiledGraph compiled = context.resolve(partition.onlyNode());
        boolean kept = ContextReader.isStrict(compiled);
        if (environment.isStrict() && !kept) {
            throw EngineException.invalidArgument("option '" + STRICT
                    + "' comes too late for what was compiled without it; compile the source model again");
        }
        CompileEnvironment as = environment.strict(kept);
        return new ContextKernel(partition.name(), () -> {
            ContextReader.Kept read = ContextReader.read(
                    compiled, partition, as.weights(), as.kernels().target());
            return new SimdKernel(read.graph(), as.choosing(read.choices()));
        });
    }

    @Override
    public WeightlessSupport weightlessSupport() {
        return SUPPORT;
    }

    @Override
    public String compatibilityInfo(Graph graph) {
        return Machine.of(kernels.get().set().target(), kept).info();
    }

    @Override
    public boolean isSharedBySessions() {
        return true;
    }
}
