package dev.millrace.providers.cpu.search;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.providers.search.Draw;
import dev.millrace.providers.search.Scores;
import dev.millrace.scheduler.kernel.DynamicContext;

/**
 * Draws words by chance, of the likeliest alone.
 *
 * @param share what the likeliest words have together; a word is left out where those before it have that
 * @param keepsReached whether a word counts with which the share is reached exactly
 * @param least so many words are left at least
 * @param filtered the score of those that are left out
 */
record WordSampler(
        DynamicContext context, double share, boolean keepsReached, int least, float filtered, MinimalStandard random) {
    private static final int SEED = 8;

    static WordSampler of(SearchInputs inputs) {
        Attributes attributes = inputs.node().attributes();
        boolean custom = attributes.flag("custom", false);
        return new WordSampler(
                inputs.context(),
                attributes.real("top_p", 0),
                custom,
                custom ? 1 : Math.max(1, inputs.attribute("min_tokens_to_keep", 0)),
                attributes.real("filter_value", -1e20f),
                new MinimalStandard(inputs.within("seed", inputs.number(SEED, 0), 0, Integer.MAX_VALUE)));
    }

    int word(float[] scores) {
        filter(scores);
        return Scores.largest(scores) < 0 ? 0 : new Draw(1, 0, 1).word(scores, random.nextDouble());
    }

    private void filter(float[] scores) {
        float top = scores[Math.max(0, Scores.largest(scores))];
        double[] shares = new double[scores.length];
        double all = 0;
        for (int i = 0; i < shares.length; i++) {
            shares[i] = Math.exp((double) scores[i] - top);
            all += shares[i];
        }
        var left = new WordHeap(context, scores);
        double before = 0;
        for (int taken = 0; left.count() > 0; taken++) {
            context.checkCancelled(taken);
            double reached = before / all;
            if (taken >= least && (keepsReached ? reached > share : reached >= share)) {
                left.fill(scores, filtered);
                return;
            }
            before += shares[left.take()];
        }
    }
}
