package dev.millrace.scheduler.device;

import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A call that is made exactly once, when something has completed or failed, on any thread. It must not block. */
@FunctionalInterface
public interface CompletionListener {
    /** @param failure the reason why it failed; null where it is done */
    void completed(@Nullable DeviceFailure failure);

    /** Returns a completion that hears of the first call only, for devices that call more often than they promise. */
    static CompletionListener once(CompletionListener completion) {
        var called = new AtomicBoolean();
        return failure -> {
            if (!called.getAndSet(true)) {
                completion.completed(failure);
            }
        };
    }
}
