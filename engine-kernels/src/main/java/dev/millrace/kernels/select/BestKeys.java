package dev.millrace.kernels.select;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Finds the k largest of some keys with the help of the largest ones of parts: the k-th largest of these is a bound, and
 * only parts that reach it are looked at. A heap has the best ones so far, the worst of them on top. A key and its place
 * make up one number, that of a lower place being larger.
 */
final class BestKeys {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    /** With more than one in so many wanted, all are sorted. */
    private static final int SORT_ALL = 8;
    /** With less parts than this for each one wanted, a bound does not pay. */
    private static final int PARTS_FOR_BOUND = 2;

    private final MemorySegment keys;
    private final int count;
    private final int lanes;
    private final int groups;
    private final long[] heap;
    private int size;

    /** @param keys as many as count, then the largest ones of each whole group */
    BestKeys(MemorySegment keys, long count, int k, int lanes) {
        this.keys = keys;
        this.count = (int) count;
        this.lanes = lanes;
        groups = (int) (count / (lanes * SortKeys.GROUP));
        heap = new long[k];
    }

    private static long entry(int key, int place) {
        return (long) key << 32 | (~place & 0xffffffffL);
    }

    /** The place of an entry. */
    static long place(long entry) {
        return ~(int) entry;
    }

    /** The entries of the k largest keys, the largest one last; good until the next call. */
    long[] find() {
        if ((long) heap.length * SORT_ALL > count) {
            long[] all = new long[count];
            for (int i = 0; i < count; i++) {
                all[i] = entry(keys.getAtIndex(INT, i), i);
            }
            Arrays.sort(all);
            System.arraycopy(all, count - heap.length, heap, 0, heap.length);
            return heap;
        }
        int bound = bound();
        size = 0;
        for (int part = 0; part < groups * lanes; part++) {
            if (keys.getAtIndex(INT, count + (long) part) >= bound) {
                bound = offerPart(part, bound);
            }
        }
        for (int i = groups * lanes * SortKeys.GROUP; i < count; i++) {
            int key = keys.getAtIndex(INT, i);
            if (key >= bound) {
                offer(entry(key, i));
            }
        }
        Arrays.sort(heap);
        return heap;
    }

    /** Not larger than any of the keys that are wanted. */
    private int bound() {
        int parts = groups * lanes;
        if (parts < PARTS_FOR_BOUND * heap.length) {
            return Integer.MIN_VALUE;
        }
        size = 0;
        for (int part = 0; part < parts; part++) {
            offer(entry(keys.getAtIndex(INT, count + (long) part), part));
        }
        return (int) (heap[0] >> 32);
    }

    /** Looks at one lane of the vectors of a group; gives the bound from now on. */
    private int offerPart(int part, int bound) {
        int first = part / lanes * lanes * SortKeys.GROUP + part % lanes;
        for (int i = 0; i < SortKeys.GROUP; i++) {
            int place = first + i * lanes;
            int key = keys.getAtIndex(INT, place);
            if (key >= bound) {
                offer(entry(key, place));
            }
        }
        return size < heap.length ? bound : Math.max(bound, (int) (heap[0] >> 32));
    }

    private void offer(long entry) {
        if (size < heap.length) {
            siftUp(entry);
        } else if (entry > heap[0]) {
            siftDown(entry);
        }
    }

    private void siftUp(long entry) {
        int at = size++;
        while (at > 0 && heap[(at - 1) / 2] > entry) {
            heap[at] = heap[(at - 1) / 2];
            at = (at - 1) / 2;
        }
        heap[at] = entry;
    }

    /** The entry takes the place of the one on top. */
    private void siftDown(long entry) {
        int at = 0;
        while (2 * at + 1 < size) {
            int child = 2 * at + 1;
            if (child + 1 < size && heap[child + 1] < heap[child]) {
                child++;
            }
            if (heap[child] >= entry) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = entry;
    }
}
