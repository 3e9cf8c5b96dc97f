package dev.millrace.scheduler.plan;

import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;

/** Places buffers in the order in which they are needed, each in the smallest gap that those before it have left. */
final class PlacementInTime {
    private final TreeMap<Long, Gap> byOffset = new TreeMap<>();
    private final TreeSet<Gap> bySize = new TreeSet<>(PlacementInTime::bySize);
    private long end;

    private record Gap(long offset, long bytes) {}

    PlacementInTime(long base) {
        end = base;
    }

    /** Sets every buffer's offset, and returns where the block ends. */
    long place(List<Buffer> buffers) {
        var inTime = new ArrayList<>(buffers);
        inTime.sort(PlacementInTime::byStart);
        var alive = new PriorityQueue<Buffer>((one, other) -> Integer.compare(one.to(), other.to()));
        for (Buffer buffer : inTime) {
            for (Buffer first = alive.peek(); first != null && first.to() < buffer.from(); first = alive.peek()) {
                alive.remove();
                free(new Gap(first.offset(), first.bytes()));
            }
            buffer.place(take(buffer.bytes()));
            alive.add(buffer);
        }
        return end;
    }

    // plain comparisons: the JDK's comparators take a millisecond to be made first, and every start is one

    private static int bySize(Gap one, Gap other) {
        int bytes = Long.compare(one.bytes, other.bytes);
        return bytes != 0 ? bytes : Long.compare(one.offset, other.offset);
    }

    /** The larger ones first of those that begin together. */
    private static int byStart(Buffer one, Buffer other) {
        int start = Integer.compare(one.from(), other.from());
        return start != 0 ? start : Long.compare(other.bytes(), one.bytes());
    }

    private long take(long bytes) {
        Gap gap = bySize.ceiling(new Gap(-1, bytes));
        if (gap == null) {
            gap = byOffset.isEmpty() ? null : byOffset.lastEntry().getValue();
            if (gap == null || gap.offset + gap.bytes < end) {
                gap = new Gap(end, 0);
            }
            end = gap.offset + bytes;
        }
        remove(gap);
        if (gap.bytes > bytes) {
            add(new Gap(gap.offset + bytes, gap.bytes - bytes));
        }
        return gap.offset;
    }

    /** Adds a gap, and joins it with those that it touches. */
    private void free(Gap gap) {
        Gap joined = gap;
        var before = byOffset.lowerEntry(gap.offset);
        if (before != null && before.getValue().offset + before.getValue().bytes == gap.offset) {
            remove(before.getValue());
            joined = new Gap(before.getValue().offset, before.getValue().bytes + gap.bytes);
        }
        Gap after = byOffset.get(gap.offset + gap.bytes);
        if (after != null) {
            remove(after);
            joined = new Gap(joined.offset, joined.bytes + after.bytes);
        }
        add(joined);
    }

    private void add(Gap gap) {
        byOffset.put(gap.offset, gap);
        bySize.add(gap);
    }

    private void remove(Gap gap) {
        byOffset.remove(gap.offset, gap);
        bySize.remove(gap);
    }
}
