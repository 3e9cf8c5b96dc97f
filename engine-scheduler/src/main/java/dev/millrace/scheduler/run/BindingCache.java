package dev.millrace.scheduler.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The bindings of a plan by their first step, the least recently used given up where there are too many of one. */
final class BindingCache {
    private final AtomicReferenceArray<Binding @Nullable []> byStart;
    private final AtomicLong clock = new AtomicLong();
    private final int limit;

    BindingCache(int starts, int limit) {
        this.byStart = new AtomicReferenceArray<>(starts);
        this.limit = Math.max(1, limit);
    }

    /** How many bindings are remembered for each start. */
    int limit() {
        return limit;
    }

    @Nullable
    Binding find(int start, Frame frame) {
        return find(byStart.get(start), frame);
    }

    private @Nullable Binding find(Binding @Nullable [] known, Frame frame) {
        if (known == null) {
            return null;
        }
        for (Binding binding : known) {
            if (binding.fits(frame)) {
                if (known.length > 1) {
                    binding.lastUsed = clock.incrementAndGet();
                }
                return binding;
            }
        }
        return null;
    }

    /** Keeps a binding that was made for the frame's values, unless there is one for them by now; returns that which stays. */
    Binding add(int start, Binding binding, Frame frame) {
        binding.lastUsed = clock.incrementAndGet();
        Binding[] old;
        Binding[] updated;
        do {
            old = byStart.get(start);
            Binding others = find(old, frame);
            if (others != null) {
                return others;
            }
            updated = old == null ? new Binding[] {binding} : with(old, binding);
        } while (!byStart.compareAndSet(start, old, updated));
        return binding;
    }

    private Binding[] with(Binding[] old, Binding added) {
        if (old.length < limit) {
            Binding[] longer = Arrays.copyOf(old, old.length + 1);
            longer[old.length] = added;
            return longer;
        }
        int oldest = 0;
        for (int i = 1; i < old.length; i++) {
            if (old[i].lastUsed < old[oldest].lastUsed) {
                oldest = i;
            }
        }
        Binding[] same = old.clone();
        same[oldest] = added;
        return same;
    }

    /** Forgets every binding, and says how many there were. Runs under way keep theirs until they end. */
    int clear() {
        int count = 0;
        for (int i = 0; i < byStart.length(); i++) {
            Binding[] known = byStart.getAndSet(i, null);
            count += known == null ? 0 : known.length;
        }
        return count;
    }

    List<Binding> all() {
        var all = new ArrayList<Binding>();
        for (int i = 0; i < byStart.length(); i++) {
            Binding[] known = byStart.get(i);
            if (known != null) {
                all.addAll(Arrays.asList(known));
            }
        }
        return all;
    }
}
