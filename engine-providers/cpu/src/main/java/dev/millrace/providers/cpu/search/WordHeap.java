package dev.millrace.providers.cpu.search;

import dev.millrace.scheduler.kernel.DynamicContext;

/** Words by their scores, the likeliest on top, of equal ones the first; few of many are taken without sorting the others. */
final class WordHeap {
    private static final long WORD = 0xffffffffL;

    /** The score of a word above, in the order of {@link Float#compare}, and below what is left from the word to the last. */
    private final long[] keys;

    private int count;

    WordHeap(DynamicContext context, float[] scores) {
        count = scores.length;
        keys = new long[count];
        for (int word = 0; word < count; word++) {
            context.checkCancelled(word);
            int bits = Float.floatToIntBits(scores[word]);
            long order = bits ^ (bits >> 31 & Integer.MAX_VALUE);
            keys[word] = order << Integer.SIZE | WORD - word;
        }
        for (int i = count / 2 - 1; i >= 0; i--) {
            context.checkCancelled(i);
            sink(i);
        }
    }

    int count() {
        return count;
    }

    private int word(int place) {
        return (int) (WORD - (keys[place] & WORD));
    }

    /** Takes the likeliest word that is left. */
    int take() {
        int word = word(0);
        keys[0] = keys[--count];
        sink(0);
        return word;
    }

    /** Gives all words that are left the same score. */
    void fill(float[] scores, float score) {
        for (int i = 0; i < count; i++) {
            scores[word(i)] = score;
        }
    }

    private void sink(int start) {
        int at = start;
        while (2 * at + 1 < count) {
            int child = 2 * at + 1;
            if (child + 1 < count && keys[child + 1] > keys[child]) {
                child++;
            }
            if (keys[child] <= keys[at]) {
                return;
            }
            long moved = keys[at];
            keys[at] = keys[child];
            keys[child] = moved;
            at = child;
        }
    }
}
