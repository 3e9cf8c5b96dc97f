package dev.millrace.scheduler.device;

/**
 * Counts of what an allocator has done so far.
 *
 * @param allocations the number of allocations
 * @param usedBytes the bytes that are allocated now
 * @param heldBytes the bytes that the allocator holds of the device, used or not
 * @param peakBytes the largest number of used bytes so far
 * @param extensions how often the allocator took more memory of the device
 * @param shrinkages how often it gave memory back
 */
public record AllocatorStatistics(
        long allocations, long usedBytes, long heldBytes, long peakBytes, long extensions, long shrinkages) {}
