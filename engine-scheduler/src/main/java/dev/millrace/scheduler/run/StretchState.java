package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The memory of one run of a stretch, with every view that its launches need made beforehand. Used by one run at a time. */
final class StretchState {
    final MemorySegment[] views;
    final @Nullable MemorySegment[] workspaces;
    final Stretch stretch;
    /** The steps in order, for the loop of a single stream. */
    final BoundStep[] steps;

    /** The memory on devices; null where all is on the host. */
    final @Nullable DeviceMemory onDevices;

    private final StreamRuns streams;

    StretchState(Stretch stretch, Frame frame) {
        this.stretch = stretch;
        Binding binding = stretch.binding;
        MemorySegment block = HostBlocks.allocate(binding.blockBytes, "intermediate values");
        views = new MemorySegment[binding.inBlock.length];
        for (int i = 0; i < views.length; i++) {
            Binding.InBlock value = binding.inBlock[i];
            if (value.block() == 0) {
                views[i] = block.asSlice(value.buffer().offset(), value.bytes());
            }
        }
        List<BoundStep> bound = binding.steps;
        steps = bound.toArray(new BoundStep[0]);
        onDevices = frame.onDevices == null ? null : new DeviceMemory(binding, frame.plan, frame.runner.deviceMemory());
        workspaces = new MemorySegment[steps.length];
        for (int i = 0; i < workspaces.length; i++) {
            Buffer workspace = steps[i].workspace();
            if (workspace != null && !DeviceMemory.isOnDevice(frame.plan, steps[i])) {
                workspaces[i] = block.asSlice(workspace.offset(), workspace.bytes());
            }
        }
        streams = new StreamRuns(binding.programs, this);
    }

    StreamRuns streams() {
        return streams;
    }

    /** Frees what lies on devices; no run uses it any more. */
    void close() {
        if (onDevices != null) {
            onDevices.close();
        }
    }
}
