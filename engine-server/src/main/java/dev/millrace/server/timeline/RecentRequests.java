package dev.millrace.server.timeline;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The timelines of the newest requests to models, those that are under way included. Thread-safe, without locks. */
public final class RecentRequests {
    private static final int KEPT = 256;

    private final AtomicReferenceArray<RequestTimeline> ring = new AtomicReferenceArray<>(KEPT);
    private final AtomicLong count = new AtomicLong();

    /**
     * Returns the timeline of a request that has just been received. It takes the place of the oldest one.
     *
     * @param operation null for a request to no model, which is not kept
     */
    public RequestTimeline begin(String protocol, @Nullable Operation operation) {
        long now = System.nanoTime();
        if (operation == null) {
            return new RequestTimeline(0, protocol, null, 0, now);
        }
        long number = count.incrementAndGet();
        var timeline = new RequestTimeline(number, protocol, operation, System.currentTimeMillis(), now);
        ring.set((int) (number % KEPT), timeline);
        return timeline;
    }

    /** Returns the timelines, the newest one first. */
    public List<RequestTimeline> newestFirst() {
        var all = new ArrayList<RequestTimeline>();
        long newest = count.get();
        for (long number = newest; number > 0 && number > newest - KEPT; number--) {
            RequestTimeline each = ring.get((int) (number % KEPT));
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }
}
