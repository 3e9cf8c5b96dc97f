package dev.millrace.providers.testkit.device;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A happens-before checker of memory accesses, as FastTrack is for threads (Flanagan and Freund, PLDI 2009). It keeps
 * for each byte range the last write and the reads since. Two accesses, one of which writes, are a race unless the
 * clock of the later one knows the earlier one, whatever the order in which they happened to run.
 */
final class RaceChecker {
    private final Consumer<String> errors;
    /** The pieces of native memory, by their addresses. */
    private final TreeMap<Long, Piece> ofNative = new TreeMap<>();
    /** The pieces of Java arrays, by their offsets. */
    private final Map<Object, TreeMap<Long, Piece>> ofArrays = new IdentityHashMap<>();

    /** A byte range whose bytes were accessed alike. */
    private static final class Piece {
        private long end;
        private @Nullable MemoryAccess write;
        private boolean isUndefined;
        private final List<MemoryAccess> reads = new ArrayList<>();

        Piece(long end) {
            this.end = end;
        }

        /** Cuts the piece in two, and returns the upper part. */
        Piece cut(long at) {
            var upper = new Piece(end);
            upper.write = write;
            upper.isUndefined = isUndefined;
            upper.reads.addAll(reads);
            end = at;
            return upper;
        }
    }

    RaceChecker(Consumer<String> errors) {
        this.errors = errors;
    }

    void read(DeviceOperand operand, MemoryAccess access, VectorClock clock) {
        for (Piece piece : pieces(operand)) {
            if (piece.isUndefined) {
                errors.accept("undefined memory: " + access + ", which nothing has written");
            }
            checkOrder(piece.write, access, clock);
            piece.reads.removeIf(earlier -> earlier.isKnownTo(clock));
            piece.reads.add(access);
        }
    }

    void write(DeviceOperand operand, MemoryAccess access, VectorClock clock) {
        write(operand, access, clock, false);
    }

    /** Notes that memory is released: its content is undefined from now on. */
    void release(DeviceOperand operand, MemoryAccess access, VectorClock clock) {
        write(operand, access, clock, true);
    }

    private void write(DeviceOperand operand, MemoryAccess access, VectorClock clock, boolean isUndefined) {
        for (Piece piece : pieces(operand)) {
            checkOrder(piece.write, access, clock);
            piece.reads.forEach(read -> checkOrder(read, access, clock));
            piece.reads.clear();
            piece.write = access;
            piece.isUndefined = isUndefined;
        }
    }

    /**
     * Notes that memory is allocated. Its allocator answers for what used it before.
     *
     * @param isUndefined whether its content is undefined until an operation writes it; the host may write it unseen
     */
    void allocate(DeviceOperand operand, MemoryAccess access, boolean isUndefined) {
        for (Piece piece : pieces(operand)) {
            piece.reads.clear();
            piece.write = access;
            piece.isUndefined = isUndefined;
        }
    }

    /** Forgets memory that goes back to where it came from. */
    void forget(DeviceOperand operand) {
        pieces(operand);
        long from = operand.memory().address();
        ofNative.subMap(from, from + operand.memory().byteSize()).clear();
    }

    /** Whether something has written a part of the memory since it was allocated. */
    boolean hasContent(DeviceOperand operand) {
        return pieces(operand).stream().anyMatch(piece -> !piece.isUndefined);
    }

    private void checkOrder(@Nullable MemoryAccess earlier, MemoryAccess access, VectorClock clock) {
        if (earlier != null && !earlier.isKnownTo(clock)) {
            errors.accept("race: nothing orders " + earlier + " and " + access);
        }
    }

    /** Returns the pieces that make up a range, cut at its ends. */
    private List<Piece> pieces(DeviceOperand operand) {
        Object array = operand.array();
        TreeMap<Long, Piece> all = array == null ? ofNative : ofArrays.computeIfAbsent(array, key -> new TreeMap<>());
        long from = operand.memory().address();
        long to = from + operand.memory().byteSize();
        cut(all, from);
        cut(all, to);
        var found = new ArrayList<Piece>();
        for (long at = from; at < to; ) {
            Map.Entry<Long, Piece> next = all.ceilingEntry(at);
            if (next == null || next.getKey() > at) {
                var fresh = new Piece(next == null ? to : Math.min(to, next.getKey()));
                all.put(at, fresh);
                found.add(fresh);
                at = fresh.end;
            } else {
                found.add(next.getValue());
                at = next.getValue().end;
            }
        }
        return found;
    }

    private static void cut(TreeMap<Long, Piece> all, long at) {
        Map.Entry<Long, Piece> below = all.lowerEntry(at);
        if (below != null && below.getValue().end > at) {
            all.put(at, below.getValue().cut(at));
        }
    }
}
