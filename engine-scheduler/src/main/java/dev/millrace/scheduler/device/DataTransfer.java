package dev.millrace.scheduler.device;

import java.util.List;

/** The copies that a device can do. */
public interface DataTransfer {
    /** Whether a copy from one place to another can be given to a stream of this device. */
    boolean canCopy(MemoryPlace from, MemoryPlace to);

    /** Gives copies to a stream, which does them in order with its other work. Returns before they are done. */
    void copy(List<Copy> batch, DeviceStream stream);
}
