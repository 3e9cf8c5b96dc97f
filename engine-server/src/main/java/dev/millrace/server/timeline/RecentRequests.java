package dev.millrace.server.timeline;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The timelines of the newest requests to models, those that are under way included. Thread-safe, without locks. */
public final class RecentRequests {
    private static final int KEPT = 256;

    private final AtomicReferenceArray<RequestTimeline> ring = new AtomicReferenceArray<>(KEPT);
    private final AtomicLong count = new AtomicLong();

    /** Keeps the timeline of a request that is permitted, in the place of the oldest one. */
    public void keep(RequestTimeline timeline) {
        long number = count.incrementAndGet();
        timeline.number(number);
        ring.set((int) (number % KEPT), timeline);
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
