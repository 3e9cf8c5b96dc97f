package dev.millrace.providers.cpu.search;

import java.util.ArrayList;
import java.util.List;

/** The best sequences that have ended, of one of a batch; the best one first. */
final class Hypotheses {
    /** A sequence without its end, and its score by its length. */
    record Hypothesis(int[] words, float score) {}

    private final List<Hypothesis> best = new ArrayList<>();
    private final int most;
    private final float lengthPenalty;
    private boolean done;

    Hypotheses(int most, float lengthPenalty) {
        this.most = most;
        this.lengthPenalty = lengthPenalty;
    }

    void add(int[] words, float sum) {
        float score = byLength(sum, words.length);
        int at = best.size();
        while (at > 0 && score > best.get(at - 1).score()) {
            at--;
        }
        if (at < most) {
            best.add(at, new Hypothesis(words, score));
        }
        if (best.size() > most) {
            best.removeLast();
        }
    }

    private float byLength(float sum, int length) {
        return (float) (sum / Math.pow(length, lengthPenalty));
    }

    /** Whether nothing better can come, where the likeliest of what goes on has {@code sum}. */
    boolean settle(float sum, int length, boolean early) {
        done |= best.size() == most && (early || best.getLast().score() >= byLength(sum, length));
        return done;
    }

    boolean isDone() {
        return done;
    }

    Hypothesis get(int index) {
        return best.get(index);
    }
}
