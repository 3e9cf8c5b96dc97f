package dev.millrace.providers.simd.context;

import dev.millrace.codegen.program.Target;
import dev.millrace.graph.ir.Graph;
import dev.millrace.providers.simd.lower.TuningCache;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.Partition;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;

/** Finds partitions again that were kept. */
public final class ContextReader {
    private ContextReader() {}

    /** Whether a partition was compiled with sums as exact as fp32 allows: all that is read of its plan for now. */
    public static boolean isStrict(CompiledGraph compiled) {
        return PlanReader.isStrict(compiled.plan());
    }

    /**
     * A partition that was kept.
     *
     * @param choices the ways that were measured when it was compiled
     */
    public record Kept(Graph graph, TuningCache choices) {}

    /**
     * The graph of a partition that was kept. Its constants lie in the context's own memory, and so do the weights that
     * are packed already, which are added to {@code weights}.
     *
     * @param partition the EPContext node's
     * @param target the vectors of this machine
     */
    public static Kept read(CompiledGraph compiled, Partition partition, Weights weights, Target target) {
        var segments = new ArrayList<MemorySegment>(compiled.segmentCount());
        for (int i = 0; i < compiled.segmentCount(); i++) {
            segments.add(compiled.segment(i));
        }
        StoredPlan plan = PlanReader.read(compiled.plan(), segments, Machine.vectors(target));
        Graph graph = ContextFit.fit(plan.graph(), partition.onlyNode(), partition.graph());
        plan.packed().forEach(weights::put);
        return new Kept(graph, TuningCache.kept(plan.choices()));
    }
}
