package dev.millrace.scheduler.bind;

import dev.millrace.scheduler.bind.StreamClocks.StepTime;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.plan.CopyKernel;
import dev.millrace.scheduler.plan.NestedPlan;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The order of the steps of a stretch over the streams of its plan: each comes behind those whose results it reads. */
final class StreamOrder {
    private final Plan plan;
    private final SlotTable slots;
    /** The clocks of the streams; null where there is one of the host. */
    private final @Nullable StreamClocks clocks;

    private final List<StepTime> times = new ArrayList<>();

    StreamOrder(Plan plan, SlotTable slots) {
        this.plan = plan;
        this.slots = slots;
        this.clocks = plan.isPlain() ? null : new StreamClocks(plan.streams());
    }

    /** The place of each step in the order; empty where one stream of the host does all. */
    List<StepTime> times() {
        return times;
    }

    /** Orders a step behind those whose results it reads; null where one stream of the host does all. */
    @Nullable
    StepTime add(PlanStep step) {
        if (clocks == null) {
            return null;
        }
        var reads = new LinkedHashSet<StepTime>();
        var hostReads = new LinkedHashSet<StepTime>();
        for (int i = 0; i < step.inputs().size(); i++) {
            StepTime maker = maker(step.inputs().get(i));
            if (maker != null) {
                reads.add(maker);
                if (isReadOnHost(step, i)) {
                    hostReads.add(maker);
                }
            }
        }
        for (NestedPlan nested : step.nested().values()) {
            for (NestedPlan.Capture capture : nested.captures()) {
                StepTime maker = maker(capture.outerSlot());
                if (maker != null) {
                    reads.add(maker);
                }
            }
        }
        StepTime time = clocks.add(step.stream(), reads, hostReads);
        times.add(time);
        return time;
    }

    /** Whether a step of a device reads an input on the host, when it is submitted. */
    private boolean isReadOnHost(PlanStep step, int input) {
        Device device = plan.streams().get(step.stream());
        return device.isAsynchronous()
                && !(step.kernel() instanceof CopyKernel)
                && step.kernel().inputPlace(device, input).equals(MemoryPlace.HOST);
    }

    private @Nullable StepTime maker(int slot) {
        return slot == PlanStep.NONE ? null : slots.get(slots.get(slot).root).maker;
    }

    /** Notes which step makes the outputs of a step. */
    void setMakers(PlanStep step, @Nullable StepTime time) {
        for (int slot : step.outputs()) {
            if (slot != PlanStep.NONE) {
                slots.get(slot).maker = time;
            }
        }
    }
}
