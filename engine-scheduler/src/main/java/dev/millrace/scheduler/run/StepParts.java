package dev.millrace.scheduler.run;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The parts in which a step is done.
 *
 * @param runner the runner of the plan that the parts make
 * @param outputs for each result of the plan, the number of the step's output that it is
 */
record StepParts(RunOwner runner, List<Integer> outputs) {
    /** Runs the parts as a step of the run of {@code outer}. */
    void run(Frame outer, BoundStep step) {
        var inputs = new ArrayList<Datum>(step.inputs.length);
        for (int slot : step.inputs) {
            if (slot != PlanStep.NONE) {
                inputs.add(Objects.requireNonNull(outer.datum(slot)));
            }
        }
        List<Datum> results = runner.runInside(outer, List.of(), inputs);
        for (int i = 0; i < outputs.size(); i++) {
            Value output = step.step().node().output(outputs.get(i));
            if (output != null && output.isUsed()) {
                outer.put(step.outputs[outputs.get(i)], results.get(i));
            }
        }
    }
}
