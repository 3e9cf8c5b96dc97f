package dev.millrace.providers.cpu.search;

import dev.millrace.providers.search.Likeliest;
import java.util.Arrays;

/** The sequences that a search follows: so many for each of a batch, with the logarithms of their chances. */
final class Beams {
    /** What all beams but the first of a batch begin with, as they are all the same then. */
    private static final float HOPELESS = -1e9f;

    private final SearchOptions options;
    private final int[][] words;
    private final float[] sums;
    private final Hypotheses[] ended;
    private int length;

    /** @param first the words that each of the batch begins with */
    Beams(SearchOptions options, int[][] first) {
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

    /** Adds to what each word adds what its sequence has. */
    void addSums(float[][] added) {
        for (int row = 0; row < added.length; row++) {
            for (int word = 0; word < added[row].length; word++) {
                added[row][word] += sums[row];
            }
        }
    }

    boolean areDone() {
        return Arrays.stream(ended).allMatch(Hypotheses::isDone);
    }

    /** Goes on by a word each, by the scores of each sequence with each word; returns whose continuations remain. */
    int[] advance(float[][] summed) {
        int beams = options.beams();
        int[] from = new int[words.length];
        int[] next = new int[words.length];
        float[] scores = new float[words.length];
        Arrays.fill(next, options.pad());
        for (int b = 0; b < ended.length; b++) {
            if (!ended[b].isDone()) {
                choose(b, summed, from, next, scores);
            }
        }
        int[][] longer = new int[words.length][];
        for (int i = 0; i < longer.length; i++) {
            longer[i] = Arrays.copyOf(words[from[i]], length + 1);
            longer[i][length] = next[i];
        }
        System.arraycopy(longer, 0, words, 0, beams * ended.length);
        System.arraycopy(scores, 0, sums, 0, scores.length);
        length++;
        return from;
    }

    private void choose(int b, float[][] summed, int[] from, int[] next, float[] scores) {
        int beams = options.beams();
        int start = b * beams;
        var likeliest = new Likeliest(2 * beams);
        for (int row = start; row < start + beams; row++) {
            for (int word = 0; word < summed[row].length; word++) {
                likeliest.add(summed[row][word], row, word);
            }
        }
        Arrays.fill(from, start, start + beams, start);
        int to = start;
        for (int i = 0; i < likeliest.count() && to < start + beams; i++) {
            if (likeliest.word(i) != options.end()) {
                from[to] = likeliest.row(i);
                next[to] = likeliest.word(i);
                scores[to++] = likeliest.score(i);
            } else if (i < beams) {
                ended[b].add(words[likeliest.row(i)], likeliest.score(i));
            }
        }
        Arrays.fill(scores, to, start + beams, HOPELESS);
        float best = likeliest.count() == 0 ? HOPELESS : likeliest.score(0);
        ended[b].settle(best, length, options.early());
    }

    /** The best sequences of each of the batch; what has not ended does now. */
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
