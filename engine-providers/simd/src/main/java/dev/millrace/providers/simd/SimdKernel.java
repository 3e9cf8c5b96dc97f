package dev.millrace.providers.simd;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.providers.simd.lower.Kit;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.rule.Rules;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A compiled partition: a graph that becomes a program for each tuple of shapes. */
final class SimdKernel implements ShapedKernel {
    private final Graph graph;
    private final Kit kit;

    SimdKernel(Graph graph, Kit kit) {
        this.graph = graph;
        this.kit = kit;
        kit.weights().own(graph);
    }

    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        return Lowering.outputs(graph, facts, kit);
    }

    @Override
    public Launch bind(BindContext context) {
        return new Lowering(graph, context, kit, Rules::of).lower();
    }
}
