package dev.millrace.scheduler.device;

import org.jspecify.annotations.Nullable;

/** A device that a provider drives, as far as running needs to know it. */
public interface Device {
    String name();

    MemoryDevice memory();

    /** A queue of this device, or null where a launch has finished when it returns. */
    default @Nullable SyncStream createStream() {
        return null;
    }

    /** Whether launches return before their work is done, so that whoever reads it waits for a notification. */
    default boolean isAsynchronous() {
        return false;
    }

    /** The processor that this code runs on. */
    Device CPU = new Device() {
        @Override
        public String name() {
            return "cpu";
        }

        @Override
        public MemoryDevice memory() {
            return MemoryDevice.HOST;
        }

        @Override
        public String toString() {
            return name();
        }
    };
}
