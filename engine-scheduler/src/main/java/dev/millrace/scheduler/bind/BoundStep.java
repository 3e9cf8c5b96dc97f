package dev.millrace.scheduler.bind;

import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.PlanStep;
import org.jspecify.annotations.Nullable;

/**
 * A step of a plan, bound to shapes. A step with a dynamic kernel has no launch. A step that is done in parts has
 * those instead.
 */
public final class BoundStep {
    private final PlanStep step;
    private final @Nullable Launch launch;
    private final @Nullable Parts parts;
    private final @Nullable Buffer workspace;
    /** The slots of its inputs and outputs, for the hot path. */
    public final int[] inputs;

    public final int[] outputs;

    private BoundStep(PlanStep step, @Nullable Launch launch, @Nullable Parts parts, @Nullable Buffer workspace) {
        this.step = step;
        this.launch = launch;
        this.parts = parts;
        this.workspace = workspace;
        this.inputs = step.inputs().stream().mapToInt(Integer::intValue).toArray();
        this.outputs = step.outputs().stream().mapToInt(Integer::intValue).toArray();
    }

    static BoundStep of(PlanStep step, Launch launch, @Nullable Buffer workspace) {
        return new BoundStep(step, launch, null, workspace);
    }

    /** Returns a step that is done in parts. */
    static BoundStep of(PlanStep step, Parts parts) {
        return new BoundStep(step, null, parts, null);
    }

    /** Returns a step with a dynamic kernel. */
    public static BoundStep of(PlanStep step) {
        return new BoundStep(step, null, null, null);
    }

    public PlanStep step() {
        return step;
    }

    public @Nullable Launch launch() {
        return launch;
    }

    /** The parts in which it is done, or null where it has none. */
    public @Nullable Parts parts() {
        return parts;
    }

    long memoryBytes() {
        return launch == null ? 0 : launch.memoryBytes();
    }

    void prewarm(Runnable checkCancelled) {
        if (launch != null) {
            launch.prewarm(checkCancelled);
        }
    }

    void trim() {
        if (launch != null) {
            launch.trim();
        }
    }

    public @Nullable Buffer workspace() {
        return workspace;
    }
}
