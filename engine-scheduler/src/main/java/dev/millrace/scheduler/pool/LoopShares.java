package dev.millrace.scheduler.pool;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The items of a loop, a share for each thread. A thread takes chunks of its own share first and of the others' then, so that
 * loops that follow each other give a thread the same items: what it wrote is in the caches of its processor.
 */
final class LoopShares {
    private static final int MOST = 16;
    /** Longs from one cursor to the next: processors fetch lines of their caches in pairs. */
    private static final int APART = 16;

    private static final long NONE = -1;
    /** Where it stands that somebody found nothing more: those who look again and again read this alone. */
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
        // each line lies in the caches of another processor: one is not waited for before the next
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

    /** The share of a worker: the owner of the loop has the first. */
    private int home(int worker) {
        return shares == 1 ? 0 : 1 + worker % (shares - 1);
    }

    /** The first item of a chunk for the owner; negative where all are taken. */
    long takeForOwner() {
        return take(0);
    }

    /** The same for a worker. */
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

    /** Where the chunk ends that begins there. */
    long endOf(long from) {
        return Math.min(from + chunk, items);
    }

    /** Whether all are taken, as far as a thread can see that does not know whether the loop is open. */
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

    /** Nothing of what is left is to be done. */
    void giveUp() {
        for (int share = 0; share < shares; share++) {
            cursors.set(place(share), items);
        }
    }
}
