package dev.millrace.session.generate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The entries of caches that the beams of a search have. The first beam that continues a parent stays in the parent's entry, so
 * that only the caches of further ones are copied.
 */
final class BeamEntries {
    private static final int NONE = -1;

    /** The entries by beams. */
    private int[] entries;

    /** A copy of the caches of one entry to another one, whose own caches no beam needs. */
    record Copy(int from, int to) {}

    /** @param count the number of beams, each of which begins in the entry of its own number */
    BeamEntries(int count) {
        entries = new int[count];
        Arrays.setAll(entries, i -> i);
    }

    int entry(int beam) {
        return entries[beam];
    }

    /**
     * Moves to the next beams.
     *
     * @param parents the beams that they continue
     * @return the copies to make, in any order
     */
    List<Copy> advance(int[] parents) {
        int[] next = new int[parents.length];
        boolean[] taken = new boolean[parents.length];
        for (int i = 0; i < parents.length; i++) {
            int own = entries[parents[i]];
            next[i] = taken[own] ? NONE : own;
            taken[own] = true;
        }
        var copies = new ArrayList<Copy>();
        int free = 0;
        for (int i = 0; i < parents.length; i++) {
            if (next[i] == NONE) {
                while (taken[free]) {
                    free++;
                }
                taken[free] = true;
                next[i] = free;
                copies.add(new Copy(entries[parents[i]], free));
            }
        }
        entries = next;
        return copies;
    }
}
