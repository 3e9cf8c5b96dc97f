package dev.millrace.scheduler.run;

import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.PlanStep;
import org.jspecify.annotations.Nullable;

/** A step of a plan, bound to shapes. A step with a dynamic kernel has no launch; what it does is known when it runs. */
public final class BoundStep {
    private final PlanStep step;
    private final @Nullable Launch launch;
    private final @Nullable Buffer workspace;
    final int[] inputs;
    final int[] outputs;

    BoundStep(PlanStep step, @Nullable Launch launch, @Nullable Buffer workspace) {
        this.step = step;
        this.launch = launch;
        this.workspace = workspace;
        this.inputs = step.inputs().stream().mapToInt(Integer::intValue).toArray();
        this.outputs = step.outputs().stream().mapToInt(Integer::intValue).toArray();
    }

    public PlanStep step() {
        return step;
    }

    @Nullable
    Launch launch() {
        return launch;
    }

    long memoryBytes() {
        return launch == null ? 0 : launch.memoryBytes();
    }

    void rehearse(Runnable checkCancelled) {
        if (launch != null) {
            launch.rehearse(checkCancelled);
        }
    }

    void trim() {
        if (launch != null) {
            launch.trim();
        }
    }

    @Nullable
    Buffer workspace() {
        return workspace;
    }
}
