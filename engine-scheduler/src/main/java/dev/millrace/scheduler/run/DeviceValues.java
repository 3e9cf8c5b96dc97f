package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.plan.Plan;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The values of one run that lie on devices, and the streams of devices that the run has taken. */
final class DeviceValues {
    private final Plan plan;
    private final @Nullable DeviceRange[] ranges;
    /** The streams of devices, by the streams of the plan; null for streams of the host. */
    private final @Nullable DeviceStream[] queues;

    /** @param constants the constants that lie on devices, by their slots */
    DeviceValues(Plan plan, Map<Integer, DeviceRange> constants) {
        this.plan = plan;
        ranges = new DeviceRange[plan.slots().size()];
        queues = new DeviceStream[plan.streams().size()];
        constants.forEach((slot, range) -> ranges[slot] = range);
    }

    /** Takes the streams of devices for this run, in the order of the plan's. */
    void use(List<DeviceStream> taken) {
        int next = 0;
        for (int i = 0; i < queues.length; i++) {
            if (plan.streams().get(i).isAsynchronous()) {
                queues[i] = taken.get(next++);
            }
        }
    }

    /** The stream of a device that the steps of a stream of the plan are given to. */
    DeviceStream queue(int stream) {
        return Objects.requireNonNull(queues[stream], "the run has no stream of this device");
    }

    /** A stream that this run has of a device. */
    DeviceStream queue(Device device) {
        return queue(plan.streams().indexOf(device));
    }

    /** The memory of a slot on its device; null where it is on the host, or has none yet. */
    @Nullable
    DeviceRange range(int slot) {
        return ranges[slot];
    }

    void set(int slot, DeviceRange range) {
        ranges[slot] = range;
    }

    void alias(int slot, int root) {
        ranges[slot] = ranges[root];
    }

    /** Enters a stretch: sets the ranges of its values, and the segments of those that the host sees too. */
    void enter(Binding binding, DeviceMemory memory, @Nullable MemorySegment[] segments) {
        for (int i = 0; i < binding.inBlock.length; i++) {
            int slot = binding.inBlock[i].slot();
            ranges[slot] = memory.value(i);
            if (ranges[slot] != null) {
                segments[slot] = memory.onHost(i);
            }
        }
    }

    /** Ends the run. */
    void reset(int[] variableSlots) {
        for (int slot : variableSlots) {
            ranges[slot] = null;
        }
        Arrays.fill(queues, null);
    }
}
