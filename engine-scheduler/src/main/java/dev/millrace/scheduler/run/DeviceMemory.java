package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The blocks on devices of one run of a stretch, and the ranges of the values in them. */
final class DeviceMemory {
    private final DeviceArenas memory;
    private final List<DeviceRange> taken = new ArrayList<>();
    private final @Nullable DeviceRange[] values;
    private final @Nullable DeviceRange[] workspaces;

    DeviceMemory(Binding binding, Plan plan, DeviceArenas memory) {
        this.memory = memory;
        var blocks = new DeviceRange[binding.blocks.size()];
        try {
            for (int i = 0; i < blocks.length; i++) {
                Binding.Block block = binding.blocks.get(i);
                if (!block.place().equals(MemoryPlace.HOST) && block.bytes() > 0) {
                    blocks[i] = memory.allocate(block.place(), block.bytes());
                    taken.add(blocks[i]);
                }
            }
        } catch (RuntimeException | Error thrown) {
            close();
            throw thrown;
        }
        values = new DeviceRange[binding.inBlock.length];
        for (int i = 0; i < values.length; i++) {
            Binding.InBlock value = binding.inBlock[i];
            values[i] = value.block() == 0
                    ? null
                    : blocks[value.block()].slice(value.buffer().offset(), value.bytes());
        }
        workspaces = new DeviceRange[binding.steps.size()];
        for (int i = 0; i < workspaces.length; i++) {
            BoundStep step = binding.steps.get(i);
            Buffer workspace = step.workspace();
            if (workspace != null && isOnDevice(plan, step)) {
                MemoryPlace place = plan.streams().get(step.step().stream()).place();
                workspaces[i] = blocks[Binding.Block.indexOf(place, binding.blocks)].slice(
                        workspace.offset(), workspace.bytes());
            }
        }
    }

    /** Whether a step is given to a device. */
    static boolean isOnDevice(Plan plan, BoundStep step) {
        return plan.streams().get(step.step().stream()).isAsynchronous();
    }

    /** The memory of the {@code index}th value in a block; null where it is in the block of the host. */
    @Nullable
    DeviceRange value(int index) {
        return values[index];
    }

    /** The memory of a value as the host sees it; null where it does not. */
    @Nullable
    MemorySegment onHost(int index) {
        DeviceRange range = values[index];
        return range == null
                ? null
                : range.buffer()
                        .host()
                        .map(memory -> memory.asSlice(range.offset(), range.bytes()))
                        .orElse(null);
    }

    @Nullable
    DeviceRange workspace(int step) {
        return workspaces[step];
    }

    void close() {
        taken.forEach(memory::free);
        taken.clear();
    }
}
