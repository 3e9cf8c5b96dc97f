package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.bind.Binder;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Does before the first run of a plan what that would do once for itself and for all later ones. Computes nothing. */
public final class PlanWarmup {
    /** Up to so many numbers are computed to foresee how a plan goes on. */
    private static final long FEW = 16;

    private final Plan plan;
    private final PlanRunner runner;
    private final PlanRuns runs;
    private final Cancellation cancellation;

    public PlanWarmup(PlanRunner runner, Cancellation cancellation) {
        this.plan = runner.plan();
        this.runner = runner;
        this.runs = runner.runs();
        this.cancellation = cancellation;
    }

    /**
     * Binds the plan as far as that is possible without the contents of inputs.
     *
     * @param inputs the types of the plan's inputs, in their order, all of known shapes
     * @param keep whether runs are to come on inputs like these; otherwise only what all bindings share stays prepared
     */
    public BoundExtent bind(List<ValueType.TensorType> inputs, boolean keep) {
        return bind(inputs, Map.of(), keep);
    }

    /**
     * Binds the plan as if inputs had these contents, in order to prepare what all bindings share.
     *
     * @param contents what some of the inputs hold, by their places
     */
    public BoundExtent bind(List<ValueType.TensorType> inputs, Map<Integer, Tensor> contents) {
        return bind(inputs, contents, false);
    }

    private BoundExtent bind(List<ValueType.TensorType> inputs, Map<Integer, Tensor> contents, boolean keep) {
        try {
            return runs.inFrame(cancellation, frame -> {
                for (int i = 0; i < inputs.size(); i++) {
                    frame.expect(runs.inputSlots()[i], inputs.get(i));
                }
                var binder = new Binder(plan, 0, frame, frame);
                contents.forEach((input, content) -> binder.assume(runs.inputSlots()[input], content));
                Binding binding = binder.bind();
                if (keep) {
                    runs.keep(binding, frame);
                }
                return binding.to == plan.steps().size() ? BoundExtent.WHOLE : BoundExtent.PART;
            });
        } catch (RuntimeException | OutOfMemoryError unsuited) {
            return BoundExtent.NOTHING; // the first run says why, and to look for a logger takes as long as to bind
        }
    }

    /**
     * Binds the plan to inputs that runs will bring, as far as that is possible without running it. Throws what such a run
     * would, before it computes.
     */
    public void expect(InputSource inputs) {
        runs.inFrame(cancellation, frame -> {
            runner.put(inputs, frame);
            Binding binding = bound(frame, 0);
            while (binding != null && binding.to < plan.steps().size()) {
                frame.expect(binding);
                plan.steps().subList(binding.from, binding.to).forEach(step -> publishTypes(frame, step));
                binding = bound(frame, binding.to);
            }
            return frame;
        });
    }

    /** Null where the stretch depends on what only a run computes. */
    private @Nullable Binding bound(Frame frame, int from) {
        Binding known = runs.known(from, frame);
        if (known != null) {
            return known;
        }
        try {
            Binding binding = new Binder(plan, from, frame, frame).bind();
            runs.keep(binding, frame);
            return binding;
        } catch (EngineException e) {
            if (from == 0 || cancellation.isCancelled()) {
                throw e;
            }
            return null;
        }
    }

    /** Computes what decides how a plan goes on where that is a matter of a few numbers. */
    private void publishTypes(Frame frame, PlanStep step) {
        if (!(step.kernel() instanceof ShapedKernel kernel)
                || !kernel.isPure()
                || plan.streams().get(step.stream()).isAsynchronous()
                || !step.nested().isEmpty()) {
            return;
        }
        var inputs = new ArrayList<@Nullable Datum>();
        for (int slot : step.inputs()) {
            Datum input = slot == PlanStep.NONE ? null : frame.datum(slot);
            if (slot != PlanStep.NONE && !(input instanceof Tensor tensor && isFew(tensor.shape()))) {
                return;
            }
            inputs.add(input);
        }
        for (int slot : step.outputs()) {
            if (slot != PlanStep.NONE && !isFew(frame.shapes[slot])) {
                return;
            }
        }
        List<@Nullable Datum> outputs = computed(kernel, step, inputs, frame);
        for (int i = 0; i < step.outputs().size(); i++) {
            int slot = step.outputs().get(i);
            Datum output = outputs.get(i);
            if (slot != PlanStep.NONE && output != null) {
                frame.put(slot, output);
            }
        }
    }

    private static List<@Nullable Datum> computed(
            ShapedKernel kernel, PlanStep step, List<@Nullable Datum> inputs, Frame frame) {
        try {
            return DirectRun.run(kernel, step.node(), inputs, frame.scratch());
        } catch (EngineException e) {
            throw e.at(step.describe());
        } catch (RuntimeException e) {
            throw EngineException.wrap(Status.RUNTIME_EXCEPTION, step.describe(), e);
        }
    }

    private static boolean isFew(@Nullable Shape shape) {
        return shape != null && shape.elements() <= FEW;
    }
}
