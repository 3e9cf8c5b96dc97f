package dev.millrace.session;

import dev.millrace.scheduler.device.AllocatorStatistics;
import dev.millrace.scheduler.device.DeviceInfo;
import dev.millrace.scheduler.device.MemoryKind;

/**
 * One kind of memory of a device, as the models of an engine's sessions use it: weights, intermediate values, and values
 * that callers have left there.
 *
 * @param memory what is in use, and what is held for later runs
 */
public record DeviceMemoryUse(DeviceInfo device, MemoryKind kind, AllocatorStatistics memory) {}
