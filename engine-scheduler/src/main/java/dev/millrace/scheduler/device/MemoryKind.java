package dev.millrace.scheduler.device;

/** The kinds of memory that a device may have. */
public enum MemoryKind {
    /** The device's own memory. */
    DEFAULT,
    /** Memory that the device and the host both read and write in place. */
    HOST_ACCESSIBLE,
    /** Device memory that is written once, by an upload, and read by kernels afterwards: weights. */
    READ_ONLY,
    /** Host memory that does not move and that the device copies from and to without an intermediate copy. */
    PINNED
}
