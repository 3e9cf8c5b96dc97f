package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.NominalContents;
import dev.millrace.graph.infer.NominalShapes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.run.BoundExtent;
import dev.millrace.scheduler.run.PlanRunner;
import dev.millrace.scheduler.run.PlanWarmup;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.request.ModelFace;
import dev.millrace.session.request.RequestCheck;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Does the one-time work of a first run before it: packs weights, makes programs and generates code. Extents that a
 * model leaves open get nominal values.
 */
final class EarlyBinding {
    private EarlyBinding() {}

    /**
     * Whether all partitions were compiled just now. Partitions from a context binary stay
     * untouched until their first run.
     */
    static boolean suits(Partitioning parts) {
        return parts.fused().stream().noneMatch(each -> each.partition().isContext());
    }

    static void bind(Graph graph, PlanRunner runner, Cancellation cancellation) {
        var preparation = new PlanWarmup(runner, cancellation);
        boolean likely = NominalShapes.areOfAnyCount(graph);
        for (List<Shape> shapes : NominalShapes.of(graph)) {
            if (cancellation.isCancelled()) {
                return;
            }
            BoundExtent reach = preparation.bind(types(graph, shapes), likely);
            if (reach == BoundExtent.PART) {
                reach = further(graph, shapes, preparation);
            }
            if (reach != BoundExtent.NOTHING) {
                return;
            }
        }
    }

    /** Prepares for the expected inputs. Throws what a run on them would throw before it computes anything. */
    static void expect(SessionOptions options, ModelFace face, PlanRunner runner) {
        if (options.expected().isEmpty()) {
            return;
        }
        RequestCheck check = RequestCheck.of(face, runner.plan());
        var preparation = new PlanWarmup(runner, options.cancellation());
        for (Inputs expected : options.expected()) {
            try {
                check.check(expected, RunOptions.defaults());
                preparation.expect(expected);
            } catch (EngineException e) {
                throw e.at("expected inputs");
            }
        }
    }

    /**
     * Binds further stretches, whose shapes depend on contents of inputs, for each nominal
     * content, and returns the furthest reach.
     */
    private static BoundExtent further(Graph graph, List<Shape> shapes, PlanWarmup preparation) {
        List<Map<Integer, Tensor>> variants = NominalContents.of(graph, shapes);
        BoundExtent furthest = variants.isEmpty() ? BoundExtent.PART : BoundExtent.NOTHING;
        for (Map<Integer, Tensor> contents : variants) {
            BoundExtent reach = preparation.bind(types(graph, shapes), contents);
            furthest = reach.compareTo(furthest) > 0 ? reach : furthest;
        }
        return furthest;
    }

    private static List<ValueType.TensorType> types(Graph graph, List<Shape> shapes) {
        var types = new ArrayList<ValueType.TensorType>();
        for (int i = 0; i < shapes.size(); i++) {
            ElementType element = Objects.requireNonNull(graph.inputs().get(i).elementType());
            types.add(ValueType.tensor(element, shapes.get(i)));
        }
        return types;
    }
}
