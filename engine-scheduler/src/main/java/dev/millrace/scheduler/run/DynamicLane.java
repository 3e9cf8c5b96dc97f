package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One run of a dynamic step in a frame. An input may be a view of the frame's block, where other values take its place
 * later; a step that hands such a view on, alone or inside a sequence, hands on a copy.
 */
final class DynamicLane implements DynamicContext {
    private final Frame frame;
    private final BoundStep bound;
    private final @Nullable DynamicMemory memory;
    private final Set<Datum> views = Collections.newSetFromMap(new IdentityHashMap<>());

    /** @param memory for outputs, or null where they live on when the frame's run has ended */
    DynamicLane(Frame frame, BoundStep bound, @Nullable DynamicMemory memory) {
        this.frame = frame;
        this.bound = bound;
        this.memory = memory;
    }

    @Override
    public Node node() {
        return bound.step().node();
    }

    @Override
    public int inputCount() {
        return bound.inputs.length;
    }

    @Override
    public @Nullable Datum input(int index) {
        if (index >= bound.inputs.length || bound.inputs[index] == PlanStep.NONE) {
            return null;
        }
        int slot = bound.inputs[index];
        Datum value = frame.datum(slot);
        if (value != null && frame.data[slot] == null) {
            views.add(value);
        }
        return value;
    }

    @Override
    public Tensor tensor(int index) {
        if (input(index) instanceof Tensor tensor) {
            return tensor;
        }
        throw EngineException.invalidArgument("input " + index + " is missing or no tensor");
    }

    @Override
    public int outputCount() {
        return bound.outputs.length;
    }

    @Override
    public boolean hasOutput(int index) {
        return index < bound.outputs.length && bound.outputs[index] != PlanStep.NONE;
    }

    @Override
    public void output(int index, Datum value) {
        if (hasOutput(index)) {
            frame.put(bound.outputs[index], Data.without(views, value));
        }
    }

    @Override
    public Tensor allocate(ElementType type, Shape shape) {
        return memory == null || type == ElementType.STRING
                ? Tensor.allocate(type, shape)
                : memory.allocate(type, shape, "an output of " + bound.step().describe());
    }

    @Override
    public List<Datum> runNested(String attribute, List<Datum> inputs) {
        return frame.runner.runNested(frame, bound.step(), attribute, inputs);
    }

    @Override
    public void checkCancelled() {
        frame.cancellation.check();
    }
}
