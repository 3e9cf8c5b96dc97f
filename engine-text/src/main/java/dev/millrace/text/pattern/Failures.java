package dev.millrace.text.pattern;

import java.util.Arrays;

/**
 * The places in a program and a text from which no match was found, so that none is tried twice and a search takes linear
 * time. They hold until the next match. Looked at only where a place decides alone what comes of it: not inside of a part
 * that is matched by itself, and not in a program with registers.
 */
final class Failures {
    private static final int MOST = 1 << 22;
    private static final long NONE = -1;

    /** Of each repetition of a set, where one began that failed and how far it came, and the search that it was in. */
    private final int[] begins;

    private final int[] reaches;
    private final int[] searches;

    private int search = 1;
    private long[] forks = new long[0];
    private int count;

    Failures(int instructions) {
        begins = new int[instructions];
        reaches = new int[instructions];
        searches = new int[instructions];
    }

    /** Forgets all, since what comes next is behind a match. */
    void clear() {
        search++;
        if (count > 0) {
            forks = new long[0];
            count = 0;
        }
    }

    /** Notes a repetition of a set without a bound; what it may pass is part of what a longer one has passed. */
    void addRepetition(int pc, int begin, int reach) {
        reaches[pc] = hasRepetition(pc, reach) ? reaches[pc] : reach;
        begins[pc] = begin;
        searches[pc] = search;
    }

    /** Where the repetition that was noted last began, or {@code otherwise}. */
    int begin(int pc, int otherwise) {
        return searches[pc] == search ? begins[pc] : otherwise;
    }

    boolean hasRepetition(int pc, int at) {
        return searches[pc] == search && begins[pc] <= at && at <= reaches[pc];
    }

    /** Notes a fork; false where it was there already. */
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
