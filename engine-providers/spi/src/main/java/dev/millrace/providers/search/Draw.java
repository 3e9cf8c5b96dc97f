package dev.millrace.providers.search;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A word drawn by chance: scores are divided by the temperature, words that are not among the likeliest are left out, and
 * each of the others is drawn by its share.
 *
 * @param temperature positive; below 1 likely words become likelier
 * @param most how many of the likeliest words are left; 0 for all
 * @param share so few of the likeliest words are left that they have this share of those that {@code most} leaves; 1 for all
 * @param least words are left whose share is at least this part of that of the likeliest; 0 for all
 */
public record Draw(double temperature, int most, double share, double least) {
    public Draw(double temperature, int most, double share) {
        this(temperature, most, share, 0);
    }

    /**
     * The word at a place of the shares laid side by side.
     *
     * @param scores of which one at least is a number, and none is NaN or infinite but for minus infinity
     * @param place from 0 to before 1
     */
    public int word(float[] scores, double place) {
        double[] weights = weights(scores);
        int[] words = most > 0 && most < scores.length
                ? likeliest(scores)
                : share < 1
                        ? descending(weights)
                        : IntStream.range(0, scores.length).toArray();
        int kept = kept(weights, words);
        if (least > 0) {
            // the weight of the likeliest word is 1
            words = Arrays.stream(words, 0, kept)
                    .filter(word -> weights[word] >= least)
                    .toArray();
            kept = words.length;
        }
        double left = place * sum(weights, words, kept);
        int last = words[0];
        for (int i = 0; i < kept && left >= 0; i++) {
            double weight = weights[words[i]];
            if (weight > 0) {
                last = words[i];
                left -= weight;
            }
        }
        return last;
    }

    private double[] weights(float[] scores) {
        float top = scores[Math.max(0, Scores.largest(scores))];
        double[] weights = new double[scores.length];
        for (int i = 0; i < weights.length; i++) {
            weights[i] = Math.exp(((double) scores[i] - top) / temperature);
        }
        return weights;
    }

    private int[] likeliest(float[] scores) {
        var likeliest = new Likeliest(most);
        for (int i = 0; i < scores.length; i++) {
            likeliest.add(scores[i], 0, i);
        }
        int[] words = new int[likeliest.count()];
        Arrays.setAll(words, likeliest::word);
        return words;
    }

    /**
     * Words, likeliest first. Those are left out that are so unlikely that all of their like have no more than what the share
     * leaves, so that few have to be put in order.
     */
    private int[] descending(double[] weights) {
        double least = (1 - share) / weights.length * Arrays.stream(weights).sum();
        return IntStream.range(0, weights.length)
                .filter(word -> weights[word] >= least)
                .boxed()
                .sorted((a, b) -> Double.compare(weights[b], weights[a]))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** How many of the words, likeliest first, have the share together. */
    private int kept(double[] weights, int[] words) {
        if (share >= 1) {
            return words.length;
        }
        double wanted = share
                * (most > 0
                        ? sum(weights, words, words.length)
                        : Arrays.stream(weights).sum());
        double sum = 0;
        for (int i = 0; i < words.length; i++) {
            sum += weights[words[i]];
            if (sum >= wanted) {
                return i + 1;
            }
        }
        return words.length;
    }

    private static double sum(double[] weights, int[] words, int count) {
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += weights[words[i]];
        }
        return sum;
    }
}
