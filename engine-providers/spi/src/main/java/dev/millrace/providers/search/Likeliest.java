package dev.millrace.providers.search;

/** The largest scores of those that are added, the largest first, with their places. */
public final class Likeliest {
    private final float[] scores;
    private final int[] rows;
    private final int[] words;
    private int count;

    public Likeliest(int most) {
        scores = new float[most];
        rows = new int[most];
        words = new int[most];
    }

    public void add(float score, int row, int word) {
        boolean full = count == scores.length;
        if (Float.isNaN(score) || full && score <= scores[count - 1]) {
            return;
        }
        int at = full ? count - 1 : count++;
        while (at > 0 && score > scores[at - 1]) {
            scores[at] = scores[at - 1];
            rows[at] = rows[at - 1];
            words[at] = words[at - 1];
            at--;
        }
        scores[at] = score;
        rows[at] = row;
        words[at] = word;
    }

    public int count() {
        return count;
    }

    public float score(int index) {
        return scores[index];
    }

    public int row(int index) {
        return rows[index];
    }

    public int word(int index) {
        return words[index];
    }
}
