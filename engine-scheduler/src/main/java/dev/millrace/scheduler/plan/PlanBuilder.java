package dev.millrace.scheduler.plan;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds the plan of a graph whose nodes have all been assigned to providers. */
public final class PlanBuilder {
    /** The kernel, provider and device of a node. */
    public record Assignment(Kernel kernel, String provider, Device device) {}

    /** Assigns nodes to kernels; throws where no provider can run a node. */
    @FunctionalInterface
    public interface Assigner {
        Assignment assign(Node node);
    }

    private final Graph graph;
    private final Assigner assigner;
    private final Map<Value, Integer> slots = new LinkedHashMap<>();
    private final Map<Value, Integer> captured = new LinkedHashMap<>();
    private final Map<Integer, Integer> lastUse = new HashMap<>();
    private final List<Device> streams = new ArrayList<>();

    private PlanBuilder(Graph graph, Assigner assigner) {
        this.graph = graph;
        this.assigner = assigner;
    }

    public static Plan build(Graph graph, Assigner assigner) {
        return new PlanBuilder(graph, assigner).build();
    }

    private Plan build() {
        graph.inputs().forEach(this::slot);
        var steps = new ArrayList<PlanStep>(graph.nodeCount());
        for (Node node : graph.nodes()) {
            steps.add(step(steps.size(), node));
        }
        var outputs = new ArrayList<Integer>();
        for (Value output : graph.outputs()) {
            int slot = slot(output);
            lastUse.put(slot, Integer.MAX_VALUE);
            outputs.add(slot);
        }
        var slotList = new ArrayList<Slot>(slots.size());
        slots.forEach((value, index) -> slotList.add(Slot.of(index, value, lastUse.getOrDefault(index, -1))));
        var defaults = new LinkedHashMap<Integer, Tensor>();
        for (Value input : graph.inputs()) {
            Tensor value = graph.defaultOf(input);
            if (value != null) {
                defaults.put(slot(input), value);
            }
        }
        if (streams.isEmpty()) {
            streams.add(Device.CPU);
        }
        return PlanPlacement.of(new Plan(
                graph.name(),
                slotList,
                steps,
                graph.inputs().stream().map(this::slot).toList(),
                outputs,
                graph.outputNames(),
                defaults,
                streams));
    }

    private PlanStep step(int index, Node node) {
        Assignment assignment = assigner.assign(node);
        var inputs = new ArrayList<Integer>();
        for (@Nullable Value input : node.inputs()) {
            inputs.add(input == null ? PlanStep.NONE : use(input, index));
        }
        var nested = new LinkedHashMap<String, NestedPlan>();
        node.attributes().asMap().forEach((name, attribute) -> {
            if (attribute instanceof Attribute.GraphValue body && assignment.kernel() instanceof DynamicKernel) {
                nested.put(name, nest(body.value(), index));
            }
        });
        var outputs = new ArrayList<Integer>();
        for (@Nullable Value output : node.outputs()) {
            outputs.add(output == null ? PlanStep.NONE : slot(output));
        }
        return new PlanStep(
                index,
                node,
                assignment.kernel(),
                assignment.provider(),
                stream(assignment.device()),
                inputs,
                outputs,
                nested);
    }

    private NestedPlan nest(Graph body, int step) {
        var inner = new PlanBuilder(body, assigner);
        Plan plan = inner.build();
        var captures = new ArrayList<NestedPlan.Capture>();
        inner.captured.forEach((value, slot) -> captures.add(new NestedPlan.Capture(use(value, step), slot)));
        return new NestedPlan(plan, captures);
    }

    private int use(Value value, int step) {
        int slot = slot(value);
        lastUse.merge(slot, step, Math::max);
        return slot;
    }

    private int slot(Value value) {
        Integer known = slots.get(value);
        if (known != null) {
            return known;
        }
        int fresh = slots.size();
        slots.put(value, fresh);
        if (value.graph() != graph && !value.isConstant()) {
            if (graph.parent() == null) {
                throw EngineException.invalidGraph("value '" + value.name() + "' belongs to no graph around " + graph);
            }
            captured.put(value, fresh);
        }
        return fresh;
    }

    private int stream(Device device) {
        int known = streams.indexOf(device);
        if (known >= 0) {
            return known;
        }
        streams.add(device);
        return streams.size() - 1;
    }
}
