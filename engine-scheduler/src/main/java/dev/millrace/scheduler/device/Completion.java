package dev.millrace.scheduler.device;

import org.jspecify.annotations.Nullable;

/** A call that is made exactly once, when something has completed or failed, on any thread. It must not block. */
@FunctionalInterface
public interface Completion {
    /** @param failure the reason why it failed; null where it is done */
    void completed(@Nullable DeviceFailure failure);
}
