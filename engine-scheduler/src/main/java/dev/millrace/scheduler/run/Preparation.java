package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import java.util.List;
import java.util.Map;

/** Does before the first run of a plan what that would do once for itself and for all later ones. Computes nothing. */
public final class Preparation {
    private final PlanRunner runner;
    private final Cancellation cancellation;

    public Preparation(PlanRunner runner, Cancellation cancellation) {
        this.runner = runner;
        this.cancellation = cancellation;
    }

    /**
     * Binds the plan as far as that is possible without the contents of inputs.
     *
     * @param inputs the types of the plan's inputs, in their order, all of known shapes
     * @param keep whether runs are to come on inputs like these; otherwise only what all bindings share stays prepared
     */
    public Reach bind(List<ValueType.TensorType> inputs, boolean keep) {
        return bind(inputs, Map.of(), keep);
    }

    /**
     * Binds the plan as if inputs had these contents, in order to prepare what all bindings share.
     *
     * @param contents what some of the inputs hold, by their places
     */
    public Reach bind(List<ValueType.TensorType> inputs, Map<Integer, Tensor> contents) {
        return bind(inputs, contents, false);
    }

    private Reach bind(List<ValueType.TensorType> inputs, Map<Integer, Tensor> contents, boolean keep) {
        try {
            return runner.inFrame(cancellation, frame -> {
                for (int i = 0; i < inputs.size(); i++) {
                    frame.expect(runner.inputSlot(i), inputs.get(i));
                }
                var binder = new Binder(frame, 0);
                contents.forEach((input, content) -> binder.assume(runner.inputSlot(input), content));
                Binding binding = binder.bind();
                if (keep) {
                    runner.keep(binding, frame);
                }
                return binding.to == runner.plan().steps().size() ? Reach.WHOLE : Reach.PART;
            });
        } catch (EngineException | OutOfMemoryError unsuited) {
            return Reach.NOTHING; // the first run says why, and to look for a logger takes as long as to bind
        }
    }

    /** Binds the plan to inputs that runs will bring. Throws what such a run would, before it computes. */
    public void expect(PlanRunner.InputSource inputs) {
        runner.inFrame(cancellation, frame -> {
            runner.put(inputs, frame);
            if (!runner.isBound(frame)) {
                runner.keep(new Binder(frame, 0).bind(), frame);
            }
            return frame;
        });
    }
}
