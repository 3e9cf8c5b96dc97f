package dev.millrace.scheduler.plan;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded bag of things to use again. Taking and giving allocate nothing; what does not fit is dropped.
 * The lowest places are used first, so that the higher ones stay untouched where fewer things are in use at once.
 */
public final class SlotPool<T> {
    private final AtomicReferenceArray<@Nullable T> places;
    private final Consumer<? super T> dropped;
    /** The first place that nobody has taken from since the last {@link #trim}. */
    private volatile int untouched;

    private volatile boolean isRetired;

    public SlotPool(int capacity) {
        this(capacity, thing -> {});
    }

    /** @param dropped is shown what the pool keeps no longer, or never kept */
    public SlotPool(int capacity, Consumer<? super T> dropped) {
        places = new AtomicReferenceArray<>(capacity);
        this.dropped = dropped;
    }

    public @Nullable T take() {
        for (int i = 0; i < places.length(); i++) {
            if (places.getPlain(i) != null) {
                T thing = places.getAndSet(i, null);
                if (thing != null) {
                    if (i >= untouched) {
                        untouched = i + 1;
                    }
                    return thing;
                }
            }
        }
        return null;
    }

    public void give(T thing) {
        for (int i = 0; i < places.length(); i++) {
            if (places.getPlain(i) == null && places.compareAndSet(i, null, thing)) {
                if (isRetired) {
                    clear();
                }
                return;
            }
        }
        dropped.accept(thing);
    }

    /** Drops everything, and from now on what is given, too. */
    public void retire() {
        isRetired = true;
        clear();
    }

    /** Drops what nobody has taken since the last call, the first thing apart, and shows {@code kept} what stays. */
    public void trim(Consumer<? super T> kept) {
        int first = Math.max(1, untouched);
        untouched = 0;
        for (int i = 0; i < places.length(); i++) {
            T thing = places.getAndSet(i, null);
            if (thing != null && i < first) {
                kept.accept(thing);
                give(thing);
            } else if (thing != null) {
                dropped.accept(thing);
            }
        }
    }

    /** How many things there are right now. */
    public int count() {
        int count = 0;
        for (int i = 0; i < places.length(); i++) {
            count += places.get(i) == null ? 0 : 1;
        }
        return count;
    }

    /** Drops everything, and says how much that was. */
    public int clear() {
        int count = 0;
        for (int i = 0; i < places.length(); i++) {
            T thing = places.getAndSet(i, null);
            if (thing != null) {
                dropped.accept(thing);
                count++;
            }
        }
        return count;
    }
}
