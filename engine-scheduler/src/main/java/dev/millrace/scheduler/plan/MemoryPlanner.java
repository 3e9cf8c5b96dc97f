package dev.millrace.scheduler.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * Gives buffers offsets in one block so that no two that live at the same time overlap: the largest first, each at the
 * lowest offset that fits. (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", greedy by
 * size.) That takes the square of their number, so very many are placed {@linkplain PlacementInTime as time goes on}.
 */
public final class MemoryPlanner {
    static final long ALIGNMENT = 64;

    private static final int MOST_BY_SIZE = 10_000;

    /** Bytes that are needed from step {@code from} to step {@code to}, both included. */
    public static class Buffer {
        private final long bytes;
        private final int from;
        private int to;
        private long offset = -1;

        public Buffer(long bytes, int from, int to) {
            this.bytes = Math.max(ALIGNMENT, (bytes + ALIGNMENT - 1) & -ALIGNMENT);
            this.from = from;
            this.to = to;
        }

        public long offset() {
            return offset;
        }

        public long bytes() {
            return bytes;
        }

        public int from() {
            return from;
        }

        public int to() {
            return to;
        }

        /** Keeps the buffer at least until {@code step}. */
        public void extend(int step) {
            to = Math.max(to, step);
        }

        void place(long at) {
            offset = at;
        }

        /** Whether both are needed at the same time. */
        protected boolean meets(Buffer other) {
            return from <= other.to && other.from <= to;
        }
    }

    private MemoryPlanner() {}

    /** Sets every buffer's offset, starting at {@code base}, and returns where the block ends. */
    public static long place(List<Buffer> buffers, long base) {
        return buffers.size() > MOST_BY_SIZE ? new PlacementInTime(base).place(buffers) : placeBySize(buffers, base);
    }

    private static int largerFirst(Buffer one, Buffer other) {
        int bySize = Long.compare(other.bytes(), one.bytes());
        return bySize != 0 ? bySize : Integer.compare(one.from(), other.from());
    }

    /** Like {@link #place}, by size whatever their number: for buffers whose steps are in no single order. */
    public static long placeBySize(List<Buffer> buffers, long base) {
        var bySize = new ArrayList<>(buffers);
        bySize.sort(MemoryPlanner::largerFirst);
        var placed = new ArrayList<Buffer>(bySize.size());
        long end = base;
        for (Buffer buffer : bySize) {
            long offset = base;
            // placed is sorted by offset: walk the gaps between those that are alive with this one
            int at = 0;
            for (Buffer other : placed) {
                if (other.meets(buffer)) {
                    if (other.offset - offset >= buffer.bytes) {
                        break;
                    }
                    offset = Math.max(offset, other.offset + other.bytes);
                }
            }
            while (at < placed.size() && placed.get(at).offset < offset) {
                at++;
            }
            buffer.offset = offset;
            placed.add(at, buffer);
            end = Math.max(end, offset + buffer.bytes);
        }
        return end;
    }
}
