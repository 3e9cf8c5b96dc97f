package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.LiveValues;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The stretches of a plan by their first step, the least recently used given up where there are too many of one. */
final class StretchCache {
    private final AtomicReferenceArray<Stretch @Nullable []> byStart;
    private final AtomicLong clock = new AtomicLong();
    private final int limit;

    StretchCache(int starts, int limit) {
        this.byStart = new AtomicReferenceArray<>(starts);
        this.limit = Math.max(1, limit);
    }

    /** How many stretches are kept for each start. */
    int limit() {
        return limit;
    }

    @Nullable
    Stretch find(int start, LiveValues live) {
        return find(byStart.get(start), live);
    }

    private @Nullable Stretch find(Stretch @Nullable [] known, LiveValues live) {
        if (known == null) {
            return null;
        }
        for (Stretch stretch : known) {
            if (stretch.binding.fits(live)) {
                if (known.length > 1) {
                    stretch.lastUsed = clock.incrementAndGet();
                }
                return stretch;
            }
        }
        return null;
    }

    /** Keeps a stretch that was bound to the values of a run, unless there is one for them by now; returns that which stays. */
    Stretch add(int start, Stretch stretch, LiveValues live) {
        stretch.lastUsed = clock.incrementAndGet();
        Stretch[] old;
        Stretch[] updated;
        do {
            old = byStart.get(start);
            Stretch others = find(old, live);
            if (others != null) {
                return others;
            }
            updated = old == null ? new Stretch[] {stretch} : with(old, stretch);
        } while (!byStart.compareAndSet(start, old, updated));
        retireReplaced(old, updated);
        return stretch;
    }

    private static void retireReplaced(Stretch @Nullable [] old, Stretch[] updated) {
        if (old != null && old.length == updated.length) {
            for (int i = 0; i < old.length; i++) {
                if (old[i] != updated[i]) {
                    old[i].retire();
                }
            }
        }
    }

    private Stretch[] with(Stretch[] old, Stretch added) {
        if (old.length < limit) {
            Stretch[] longer = Arrays.copyOf(old, old.length + 1);
            longer[old.length] = added;
            return longer;
        }
        int oldest = 0;
        for (int i = 1; i < old.length; i++) {
            if (old[i].lastUsed < old[oldest].lastUsed) {
                oldest = i;
            }
        }
        Stretch[] same = old.clone();
        same[oldest] = added;
        return same;
    }

    /** Forgets every stretch, and says how many there were. Runs under way keep theirs until they end. */
    int clear() {
        int count = 0;
        for (int i = 0; i < byStart.length(); i++) {
            Stretch[] known = byStart.getAndSet(i, null);
            for (Stretch stretch : known == null ? new Stretch[0] : known) {
                stretch.retire();
                count++;
            }
        }
        return count;
    }

    List<Stretch> all() {
        var all = new ArrayList<Stretch>();
        for (int i = 0; i < byStart.length(); i++) {
            Stretch[] known = byStart.get(i);
            if (known != null) {
                all.addAll(Arrays.asList(known));
            }
        }
        return all;
    }
}
