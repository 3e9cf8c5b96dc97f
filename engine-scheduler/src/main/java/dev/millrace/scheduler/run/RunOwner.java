package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.plan.NestedPlan;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.List;
import java.util.Map;

/** The runs of a plan, as one run in its frame sees them. */
interface RunOwner {
    Plan plan();

    /** The slots whose content differs from run to run. */
    int[] variableSlots();

    /** The constants that lie on devices, by their slots. */
    Map<Integer, DeviceRange> constants();

    /** The memory of devices. */
    DeviceArenas deviceMemory();

    /** The copies at the edges of the plan. */
    EdgeCopies edgeCopies();

    /** Runs the nested graph of a step within the run of {@code outer}. */
    List<Datum> runNested(Frame outer, PlanStep step, String attribute, List<Datum> inputs);

    /** Runs this plan within the run of {@code outer}. */
    List<Datum> runInside(Frame outer, List<NestedPlan.Capture> captures, List<Datum> inputs);

    /** Releases the memory that no run has needed since the last call. */
    void trim();
}
