package dev.millrace.scheduler.pool;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The items of a parallel loop, in a share for each thread. A thread takes chunks of its own share first and steals
 * from the others' afterwards, so that consecutive loops give a thread the same items: the data that it wrote is in the
 * caches of its processor.
 */
final class LoopShares {
    private static final int MOST = 16;
    /** The number of longs from one cursor to the next, two cache lines: processors prefetch lines in pairs. */
    private static final int APART = 16;

    private static final long NONE = -1;
    /** The index of the flag that a thread sets when it finds no more items; spinning workers read it alone. */
    private static final int TAKEN = 0;

    private final AtomicLongArray cursors = new AtomicLongArray((MOST + 1) * APART);
    private long items;
    private long chunk;
    private long ofShare;
    private int shares;

    void open(long newItems, long newChunk, int threads) {
        items = newItems;
        chunk = newChunk;
        shares = Math.min(MOST, threads);
        ofShare = Math.ceilDiv(Math.ceilDiv(newItems, newChunk), shares) * newChunk;
        // each cache line is in another processor's cache; release stores do not wait for one before the next
        for (int share = 0; share < shares; share++) {
            cursors.setRelease(place(share), share * ofShare);
        }
        cursors.setRelease(TAKEN, 0);
    }

    private static int place(int share) {
        return (share + 1) * APART;
    }

    private long end(int share) {
        return Math.min(items, (share + 1) * ofShare);
    }

    /** Returns the share of a worker; the owner of the loop has the first. */
    private int home(int worker) {
        return shares == 1 ? 0 : 1 + worker % (shares - 1);
    }

    /** Takes a chunk for the owner and returns its first item; negative where all are taken. */
    long takeForOwner() {
        return take(0);
    }

    /** Takes a chunk for a worker and returns its first item; negative where all are taken. */
    long takeFor(int worker) {
        return take(home(worker));
    }

    private long take(int home) {
        for (int i = 0; i < shares; i++) {
            int share = (home + i) % shares;
            int place = place(share);
            long end = end(share);
            if (cursors.get(place) < end) {
                long from = cursors.getAndAdd(place, chunk);
                if (from < end) {
                    return from;
                }
            }
        }
        cursors.setRelease(TAKEN, 1);
        return NONE;
    }

    /** Returns the end, exclusive, of the chunk that begins at {@code from}. */
    long endOf(long from) {
        return Math.min(from + chunk, items);
    }

    /** Whether all items are taken, as seen by a thread that does not know whether the loop is open. */
    boolean areTaken() {
        if (cursors.get(TAKEN) != 0) {
            return true;
        }
        for (int share = 0; share < Math.min(MOST, shares); share++) {
            if (cursors.get(place(share)) < end(share)) {
                return false;
            }
        }
        return true;
    }

    /** Discards all items that are left. */
    void giveUp() {
        for (int share = 0; share < shares; share++) {
            cursors.set(place(share), items);
        }
    }
}
