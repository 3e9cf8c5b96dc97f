package dev.millrace.text.pattern;

import java.util.Arrays;

/**
 * Memoised failures of backtracking: positions in a program and a text from which no match was found. None is tried
 * twice, so that a search takes linear time. They are valid until the next match. They are used only where the position
 * alone decides the result: not inside of a part that is matched by itself, and not in a program with registers.
 */
final class FailedStates {
    private static final int MOST = 1 << 22;
    private static final long NONE = -1;

    /** The begin and the reach of a failed repetition of each set, and the search that it belongs to. */
    private final int[] begins;

    private final int[] reaches;
    private final int[] searches;

    private int search = 1;
    private long[] forks = new long[0];
    private int count;

    FailedStates(int instructions) {
        begins = new int[instructions];
        reaches = new int[instructions];
        searches = new int[instructions];
    }

    /** Discards all failures after a match. */
    void clear() {
        search++;
        if (count > 0) {
            forks = new long[0];
            count = 0;
        }
    }

    /**
     * Records a failed unbounded repetition of a set. The range that it passes is part of the range of a longer one.
     */
    void addRepetition(int pc, int begin, int reach) {
        reaches[pc] = hasRepetition(pc, reach) ? reaches[pc] : reach;
        begins[pc] = begin;
        searches[pc] = search;
    }

    /** Returns the begin of the repetition that was recorded last, or {@code otherwise}. */
    int begin(int pc, int otherwise) {
        return searches[pc] == search ? begins[pc] : otherwise;
    }

    boolean hasRepetition(int pc, int at) {
        return searches[pc] == search && begins[pc] <= at && at <= reaches[pc];
    }

    /** Records a fork; returns false where it was recorded already. */
    boolean addFork(int pc, int at) {
        if (count >= MOST) {
            return true;
        }
        if (2 * count >= forks.length) {
            grow();
        }
        long fork = (long) pc << 32 | at;
        int slot = slot(fork);
        if (forks[slot] == fork) {
            return false;
        }
        forks[slot] = fork;
        count++;
        return true;
    }

    private int slot(long fork) {
        int mask = forks.length - 1;
        int slot = (int) (fork * 0x9e3779b97f4a7c15L >>> 32) & mask;
        while (forks[slot] != NONE && forks[slot] != fork) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        long[] old = forks;
        forks = new long[Math.max(1 << 10, 2 * old.length)];
        Arrays.fill(forks, NONE);
        for (long fork : old) {
            if (fork != NONE) {
                forks[slot(fork)] = fork;
            }
        }
    }
}
