package dev.millrace.scheduler.bind;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.OutputTypes;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The context of one kernel in a binding that is being made. It collects what the kernel declares about its outputs.
 */
final class StepBinding implements BindContext {
    private final Binder binder;
    private final PlanStep step;
    private final List<@Nullable ValueType> outputs;
    final Map<Integer, Integer> aliases = new LinkedHashMap<>();
    final Map<Integer, Integer> reuses = new LinkedHashMap<>();
    /** The outputs that are folded, by their numbers. */
    final Map<Integer, Tensor> folded = new LinkedHashMap<>();

    long workspaceBytes;

    StepBinding(Binder binder, PlanStep step, List<@Nullable ValueType> outputs) {
        this.binder = binder;
        this.step = step;
        this.outputs = outputs;
    }

    @Override
    public Node node() {
        return step.node();
    }

    @Override
    public int inputCount() {
        return step.inputs().size();
    }

    @Override
    public boolean hasInput(int index) {
        return index < step.inputs().size() && step.inputs().get(index) != PlanStep.NONE;
    }

    private int slot(int input) {
        if (!hasInput(input)) {
            throw EngineException.invalidGraph("input " + input + " is missing");
        }
        return step.inputs().get(input);
    }

    @Override
    public ElementType inputType(int index) {
        return binder.slot(slot(index)).requireType();
    }

    @Override
    public Shape inputShape(int index) {
        return binder.slot(slot(index)).requireShape();
    }

    @Override
    public @Nullable Tensor constantInput(int index) {
        return hasInput(index) ? binder.slot(slot(index)).known : null;
    }

    @Override
    public Tensor requireValue(int index) {
        int slot = slot(index);
        Tensor value = binder.content(slot);
        if (value == null) {
            throw new Binder.ValueNeeded(slot);
        }
        return value;
    }

    @Override
    public int outputCount() {
        return step.outputs().size();
    }

    @Override
    public boolean hasOutput(int index) {
        return index < step.outputs().size() && step.outputs().get(index) != PlanStep.NONE;
    }

    @Override
    public ElementType outputType(int index) {
        return OutputTypes.element(outputs.get(index));
    }

    @Override
    public Shape outputShape(int index) {
        return OutputTypes.shape(outputs.get(index));
    }

    /** Whether any output has elements. */
    boolean makesElements() {
        for (int i = 0; i < outputCount(); i++) {
            if (hasOutput(i) && outputShape(i).elements() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Folds all outputs where none has elements, so that nothing is bound or run, whatever their other extents are. */
    Launch foldEmpty() {
        for (int i = 0; i < outputCount(); i++) {
            if (hasOutput(i)) {
                fold(i, Tensor.allocate(outputType(i), outputShape(i)));
            }
        }
        return Launch.none();
    }

    @Override
    public void alias(int output, int input) {
        if (hasOutput(output)) {
            aliases.put(step.outputs().get(output), slot(input));
        }
    }

    @Override
    public void mayReuse(int output, int input) {
        if (hasOutput(output)) {
            reuses.putIfAbsent(step.outputs().get(output), slot(input));
        }
    }

    @Override
    public void fold(int output, Tensor value) {
        if (hasOutput(output)) {
            folded.put(output, value);
            binder.fold(step.outputs().get(output), value);
        }
    }

    @Override
    public void workspace(long bytes) {
        workspaceBytes = Math.max(workspaceBytes, bytes);
    }

    @Override
    public void checkCancelled() {
        binder.checkCancelled();
    }

    @Override
    public int parallelism() {
        return binder.parallelism();
    }
}
