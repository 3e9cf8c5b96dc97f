package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.device.DeviceAllocator;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The blocks on devices of one run of a stretch, and the ranges of the values in them. */
final class DeviceMemory {
    private final DeviceStreams streams;
    private final List<DeviceBuffer> buffers = new ArrayList<>();
    private final @Nullable DeviceRange[] values;
    private final @Nullable DeviceRange[] workspaces;

    /**
     * @param run the streams that the run has taken, on which the memory is allocated
     * @param streams the streams on which it is given back
     */
    DeviceMemory(Binding binding, Plan plan, DeviceValues run, DeviceStreams streams) {
        this.streams = streams;
        var blocks = new DeviceBuffer[binding.blocks.size()];
        try {
            for (int i = 0; i < blocks.length; i++) {
                Binding.Block block = binding.blocks.get(i);
                if (!block.place().equals(MemoryPlace.HOST) && block.bytes() > 0) {
                    DeviceStream stream = run.queue(block.place().device());
                    blocks[i] = allocator(block.place()).allocate(block.bytes(), stream);
                    buffers.add(blocks[i]);
                }
            }
            if (!buffers.isEmpty()) {
                run.orderBehindAllocations();
            }
        } catch (RuntimeException | Error thrown) {
            for (DeviceBuffer buffer : buffers) {
                // behind its allocation, which the device may not have done yet
                buffer.device().allocator(buffer.kind()).free(buffer, run.queue(buffer.device()));
            }
            throw thrown;
        }
        values = new DeviceRange[binding.inBlock.length];
        for (int i = 0; i < values.length; i++) {
            Binding.InBlock value = binding.inBlock[i];
            values[i] = value.block() == 0
                    ? null
                    : new DeviceRange(blocks[value.block()], value.buffer().offset(), value.bytes());
        }
        workspaces = new DeviceRange[binding.steps.size()];
        for (int i = 0; i < workspaces.length; i++) {
            BoundStep step = binding.steps.get(i);
            Buffer workspace = step.workspace();
            if (workspace != null && isOnDevice(plan, step)) {
                MemoryPlace place = plan.streams().get(step.step().stream()).place();
                DeviceBuffer block = blocks[Binding.Block.indexOf(place, binding.blocks)];
                workspaces[i] = new DeviceRange(block, workspace.offset(), workspace.bytes());
            }
        }
    }

    /** Whether a step is given to a device. */
    static boolean isOnDevice(Plan plan, BoundStep step) {
        return plan.streams().get(step.step().stream()).isAsynchronous();
    }

    private static DeviceAllocator allocator(MemoryPlace place) {
        return place.device().allocator(place.kind());
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
        for (DeviceBuffer buffer : buffers) {
            streams.free(buffer);
        }
        buffers.clear();
    }
}
