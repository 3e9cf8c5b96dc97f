package dev.millrace.scheduler.plan;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** A bounded bag of things to use again. Taking and giving allocate nothing; what does not fit is left to the collector. */
public final class SlotPool<T> {
    private final AtomicReferenceArray<@Nullable T> places;

    public SlotPool(int capacity) {
        places = new AtomicReferenceArray<>(capacity);
    }

    public @Nullable T take() {
        for (int i = 0; i < places.length(); i++) {
            if (places.getPlain(i) != null) {
                T thing = places.getAndSet(i, null);
                if (thing != null) {
                    return thing;
                }
            }
        }
        return null;
    }

    public void give(T thing) {
        for (int i = 0; i < places.length(); i++) {
            if (places.getPlain(i) == null && places.compareAndSet(i, null, thing)) {
                return;
            }
        }
    }
}
