package dev.millrace.providers.cpu.search;

import dev.millrace.providers.search.Likeliest;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.Arrays;

/**
 * The beams of a search: a number of sequences for each entry of the batch, with the logarithms of their probabilities.
 */
final class Beams {
    /** The initial score of all beams but the first of an entry, since all are equal then. */
    private static final float HOPELESS = -1e9f;

    /** A continuation of a sequence by a word, with the logarithm of the probability of both. */
    private record Continuation(int row, int word, float sum) {}

    private final DynamicContext context;
    private final SearchOptions options;
    private final int[][] words;
    private final float[] sums;
    private final Hypotheses[] ended;
    private int length;

    /** @param first the words that each entry of the batch begins with */
    Beams(DynamicContext context, SearchOptions options, int[][] first) {
        this.context = context;
        this.options = options;
        int beams = options.beams();
        words = new int[first.length * beams][];
        sums = new float[words.length];
        ended = new Hypotheses[first.length];
        for (int i = 0; i < words.length; i++) {
            words[i] = first[i / beams];
            sums[i] = i % beams == 0 ? 0 : HOPELESS;
        }
        Arrays.setAll(ended, i -> new Hypotheses(beams, options.lengthPenalty()));
        length = words[0].length;
    }

    int count() {
        return words.length;
    }

    int length() {
        return length;
    }

    int[] words(int row) {
        return words[row];
    }

    int[][] words() {
        return words;
    }

    /** Adds the score of each sequence to those of its next words. */
    void addSums(float[][] added) {
        for (int row = 0; row < added.length; row++) {
            context.checkCancelled();
            for (int word = 0; word < added[row].length; word++) {
                added[row][word] += sums[row];
            }
        }
    }

    boolean areDone() {
        return Arrays.stream(ended).allMatch(Hypotheses::isDone);
    }

    /**
     * Extends each sequence by a word, given the scores of each sequence with each word. Returns the sequences that are
     * continued.
     */
    int[] advance(float[][] summed) {
        var next = new Continuation[words.length];
        for (int b = 0; b < ended.length; b++) {
            int start = b * options.beams();
            boolean isDone = ended[b].isDone();
            // the continuations of a finished text are never read
            var none = new Continuation(isDone ? 0 : start, options.pad(), isDone ? 0 : HOPELESS);
            Arrays.fill(next, start, start + options.beams(), none);
            if (!isDone) {
                choose(b, summed, next);
            }
        }
        int[][] longer = new int[words.length][];
        for (int i = 0; i < longer.length; i++) {
            longer[i] = Arrays.copyOf(words[next[i].row()], length + 1);
            longer[i][length] = next[i].word();
            sums[i] = next[i].sum();
        }
        System.arraycopy(longer, 0, words, 0, words.length);
        length++;
        return Arrays.stream(next).mapToInt(Continuation::row).toArray();
    }

    /**
     * Selects the likeliest continuations of an entry of the batch, and adds those that end to the finished hypotheses.
     */
    private void choose(int b, float[][] summed, Continuation[] next) {
        int beams = options.beams();
        int start = b * beams;
        var likeliest = new Likeliest(2 * beams);
        for (int row = start; row < start + beams; row++) {
            context.checkCancelled();
            for (int word = 0; word < summed[row].length; word++) {
                likeliest.add(summed[row][word], row, word);
            }
        }
        int to = start;
        for (int i = 0; i < likeliest.count() && to < start + beams; i++) {
            if (likeliest.word(i) != options.end()) {
                next[to++] = new Continuation(likeliest.row(i), likeliest.word(i), likeliest.score(i));
            } else if (i < beams) {
                ended[b].add(words[likeliest.row(i)], likeliest.score(i));
            }
        }
        float best = likeliest.count() == 0 ? HOPELESS : likeliest.score(0);
        ended[b].settle(best, length, options.early());
    }

    /** Returns the best sequences of each entry of the batch. Sequences that have not ended do so now. */
    Hypotheses[] finish() {
        for (int i = 0; i < words.length; i++) {
            Hypotheses own = ended[i / options.beams()];
            if (!own.isDone()) {
                own.add(words[i], sums[i]);
            }
        }
        return ended;
    }
}
