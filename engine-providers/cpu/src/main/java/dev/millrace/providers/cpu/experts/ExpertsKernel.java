package dev.millrace.providers.cpu.experts;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/** MoE and QMoE of {@code com.microsoft}. A row of weights is read once for all tokens that go through its expert. */
public final class ExpertsKernel implements ShapedKernel {
    private static final int FIRST_LAYER = 2;
    private static final int ROUTER_WEIGHTS = 14;
    private static final int ZERO_POINTS = 11;
    private static final int WORK = 1 << 14;

    private final Node node;
    private final boolean quantised;
    private final ExpertActivation activation;

    public ExpertsKernel(Node node) {
        this.node = node;
        quantised = node.op().name().equals(OpName.Q_MOE);
        activation = ExpertActivation.of(node);
        refuse(node.attributes().flag("use_sparse_mixer", false), "use_sparse_mixer");
        String kind = node.attributes().text("quant_type", "int");
        refuse(!kind.equals("int"), "quant_type '" + kind + "'");
    }

    private void refuse(boolean present, String what) {
        if (present) {
            throw EngineException.notImplemented(node.describe() + ": " + what);
        }
    }

    /** @param columns the number of inputs of the layer */
    private @Nullable ExpertLayer layer(BindContext context, int index, int columns) {
        int input = FIRST_LAYER + index * (quantised ? 3 : 2);
        if (!context.hasInput(input)) {
            return null;
        }
        if (!quantised) {
            return ExpertLayer.real(context, input);
        }
        int bits = Math.toIntExact(node.attributes().integer("expert_weight_bits", 4));
        return ExpertLayer.packed(
                context, input, columns, bits, node.attributes().integer("block_size", 0), ZERO_POINTS + index);
    }

    private ExpertLayer required(BindContext context, int index, int columns) {
        ExpertLayer layer = layer(context, index, columns);
        if (layer == null) {
            throw EngineException.invalidGraph(node.describe() + ": layer " + index + " is missing");
        }
        return layer;
    }

    @Override
    public Launch bind(BindContext context) {
        Shape shape = context.inputShape(0);
        int width = ArrayExtents.toInt("features", shape.dimAt(-1));
        int tokens = width == 0 ? 0 : ArrayExtents.toInt("tokens", shape.elements() / width);
        int experts = ArrayExtents.toInt("experts", context.inputShape(1).dim(1));
        int chosen = Math.toIntExact(node.attributes().integer("k", 1));
        boolean together = activation.fusion() != ExpertActivation.Fusion.NONE;
        ExpertLayer first = required(context, 0, width);
        ExpertLayer second = required(context, 1, together ? first.rows() / 2 : first.rows());
        ExpertLayer third = layer(context, 2, width);
        refuse(together && third != null, "gates both in the first layer and in a third one");
        boolean separate = node.attributes().text("activation_type", "relu").equals("swiglu") && !together;
        refuse(separate && third == null, "swiglu without a third layer");
        boolean normalised = node.attributes().flag("normalize_routing_weights", false);
        int weights = quantised && context.hasInput(ROUTER_WEIGHTS) ? ROUTER_WEIGHTS : -1;
        var routing = new Routing(context.inputType(1), experts, chosen, normalised, weights);

        long routes = (long) tokens * chosen;
        RouteMemory memory = RouteMemory.of(tokens, routes, width, first.rows(), third == null ? 0 : third.rows());
        context.workspace(memory.bytes());
        var passes = new ExpertPasses(context.inputType(0), width, chosen, routes, memory);
        RangeTask begin = passes.begin(routing);
        RangeTask toHidden = passes.layer(first, memory.inputs(), chosen, memory.hidden());
        RangeTask toNumbers = third == null ? null : passes.layer(third, memory.inputs(), chosen, memory.numbers());
        RangeTask between = passes.between(activation, second.columns(), third != null);
        RangeTask toOutputs = passes.layer(second, memory.hidden(), 1, memory.outputs());
        RangeTask sum = passes.sum();
        return run -> {
            run.parallelFor(tokens, grain(width), begin);
            rows(run, experts, first, toHidden);
            if (third != null && toNumbers != null) {
                rows(run, experts, third, toNumbers);
            }
            run.parallelFor(routes, grain(first.rows()), between);
            rows(run, experts, second, toOutputs);
            run.parallelFor(tokens, grain(width), sum);
        };
    }

    /** Computes all rows of a layer, those of all experts. */
    private static void rows(LaunchContext run, int experts, ExpertLayer layer, RangeTask task) {
        run.parallelFor((long) experts * layer.rows(), grain(layer.columns()), task);
    }

    private static long grain(int work) {
        return Math.max(1, WORK / Math.max(1, work));
    }
}
