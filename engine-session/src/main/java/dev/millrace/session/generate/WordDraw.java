package dev.millrace.session.generate;

import dev.millrace.providers.search.Draw;
import dev.millrace.providers.search.Scores;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** The choice of one of the tokens by chance. */
interface WordDraw {
    /**
     * Returns a token.
     *
     * @param scores of which one at least is a number; they may be changed
     * @param place a random number from 0 to before 1
     */
    int word(float[] scores, double place);

    static WordDraw of(GenerationOptions options) {
        Mirostat mirostat = options.mirostat();
        if (mirostat != null) {
            return new Following(mirostat, options.temperature());
        }
        var draw = new Draw(options.temperature(), options.topK(), options.topP(), options.minP());
        return options.typicalP() == 1
                ? draw::word
                : (scores, place) -> {
                    keepTypical(scores, options.temperature(), options.typicalP());
                    return draw.word(scores, place);
                };
    }

    /** Returns the probabilities of scores that are divided by a temperature. */
    private static double[] shares(float[] scores, double temperature) {
        float top = scores[Math.max(0, Scores.largest(scores))];
        double[] shares = new double[scores.length];
        double sum = 0;
        for (int i = 0; i < shares.length; i++) {
            shares[i] = Math.exp(((double) scores[i] - top) / temperature);
            sum += shares[i];
        }
        for (int i = 0; i < shares.length; i++) {
            shares[i] /= sum;
        }
        return shares;
    }

    /**
     * Leaves those tokens out whose surprise is farthest from the expected one, as long as the others have a share together
     * (Meister et al., "Locally Typical Sampling", 2022).
     */
    private static void keepTypical(float[] scores, double temperature, double share) {
        double[] shares = shares(scores, temperature);
        double entropy = 0;
        for (double each : shares) {
            entropy -= each > 0 ? each * Math.log(each) : 0;
        }
        double expected = entropy;
        int[] nearest = IntStream.range(0, shares.length)
                .filter(word -> shares[word] > 0)
                .boxed()
                .sorted(Comparator.comparingDouble(word -> Math.abs(-Math.log(shares[word]) - expected)))
                .mapToInt(Integer::intValue)
                .toArray();
        double sum = 0;
        boolean[] kept = new boolean[scores.length];
        for (int i = 0; i < nearest.length && sum < share; i++) {
            kept[nearest[i]] = true;
            sum += shares[nearest[i]];
        }
        for (int i = 0; i < kept.length; i++) {
            scores[i] = kept[i] ? scores[i] : Float.NEGATIVE_INFINITY;
        }
    }

    /** Draws from those tokens whose surprise is at most a bound, which follows the surprise of the drawn ones. */
    final class Following implements WordDraw {
        private final Mirostat mirostat;
        private final double temperature;
        private double bound;

        private Following(Mirostat mirostat, double temperature) {
            this.mirostat = mirostat;
            this.temperature = temperature;
            bound = 2 * mirostat.target();
        }

        @Override
        public int word(float[] scores, double place) {
            double[] shares = shares(scores, temperature);
            int likeliest = Scores.largest(scores);
            for (int i = 0; i < shares.length; i++) {
                boolean isKept = i == likeliest || bits(shares[i]) <= bound;
                shares[i] = isKept ? shares[i] : 0;
            }
            double all = Arrays.stream(shares).sum();
            double left = place * all;
            int drawn = likeliest;
            for (int i = 0; i < shares.length && left >= 0; i++) {
                if (shares[i] > 0) {
                    drawn = i;
                    left -= shares[i];
                }
            }
            bound -= mirostat.rate() * (bits(shares[drawn] / all) - mirostat.target());
            return drawn;
        }

        /** The surprise in bits up to which tokens are drawn. */
        double bound() {
            return bound;
        }

        private static double bits(double share) {
            return -Math.log(share) / Math.log(2);
        }
    }
}
