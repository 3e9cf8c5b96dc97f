package dev.millrace.scheduler.kernel;

import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.MemoryPlace;

/**
 * The executable form of one node of a plan. Immutable and shared by every thread; it lives as long as the plan. {@link
 * ShapedKernel} is the rule; {@link DynamicKernel} is for what no shape can foretell.
 */
public sealed interface Kernel permits ShapedKernel, DynamicKernel {
    /** The memory that the kernel reads an input from, where {@code device} runs it: a memory of the device, or the host's. */
    default MemoryPlace inputPlace(Device device, int index) {
        return device.place();
    }

    /** The memory that the kernel writes an output to, where {@code device} runs it: a memory of the device, or the host's. */
    default MemoryPlace outputPlace(Device device, int index) {
        return device.place();
    }
}
