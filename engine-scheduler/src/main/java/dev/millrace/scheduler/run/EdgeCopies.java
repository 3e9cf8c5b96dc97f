package dev.millrace.scheduler.run;

import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.plan.CopyKernel;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The steps that copy a plan's inputs to devices and its outputs from there, and that a run can leave out where the caller
 * gives an input on the device or leaves an output there.
 */
final class EdgeCopies {
    /** The copy that is the only reader of an input. */
    record Upload(PlanStep step, int onDevice, MemoryPlace place) {}

    /** The copy that makes an output, which nothing else reads. */
    record Download(PlanStep step, int onDevice) {}

    /** The copies of inputs, by slots. */
    private final Map<Integer, Upload> uploads = new HashMap<>();
    /** The copies of outputs, by their numbers. */
    private final @Nullable Download[] downloads;

    EdgeCopies(Plan plan) {
        int[] readers = readers(plan);
        downloads = new Download[plan.outputs().size()];
        for (PlanStep step : plan.steps()) {
            if (step.kernel() instanceof CopyKernel copy) {
                int from = step.inputs().getFirst();
                int to = step.outputs().getFirst();
                if (plan.inputs().contains(from) && readers[from] == 1) {
                    uploads.put(from, new Upload(step, to, copy.to()));
                }
                int output = plan.outputs().indexOf(to);
                if (output >= 0 && readers[to] == 1 && copy.to().equals(MemoryPlace.HOST)) {
                    downloads[output] = new Download(step, from);
                }
            }
        }
    }

    /** Counts the readers of each slot: steps, nested graphs and outputs. */
    private static int[] readers(Plan plan) {
        int[] readers = new int[plan.slots().size()];
        plan.outputs().forEach(slot -> readers[slot]++);
        for (PlanStep step : plan.steps()) {
            step.inputs().stream().filter(slot -> slot != PlanStep.NONE).forEach(slot -> readers[slot]++);
            step.nested().values().forEach(body -> body.captures().forEach(capture -> readers[capture.outerSlot()]++));
        }
        return readers;
    }

    @Nullable
    Upload upload(int slot) {
        return uploads.get(slot);
    }

    @Nullable
    Download download(int output) {
        return downloads[output];
    }
}
