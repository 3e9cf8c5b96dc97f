package dev.millrace.scheduler.device;

/** The kinds of device that providers drive. */
public enum DeviceType {
    CPU,
    GPU,
    NPU
}
