package dev.millrace.session.generate;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;

/** A beam search that computes all logits anew for each step, and sorts all continuations. */
final class PlainBeamSearch {
    private final Function<int[], double[]> logits;
    private final BeamOptions options;
    private final GenerationOptions generation;

    /** A text with the sum of its log probabilities, or its score once it has ended. */
    record Text(int[] tokens, double score) {}

    /** @param logits those behind tokens */
    PlainBeamSearch(Function<int[], double[]> logits, BeamOptions options, GenerationOptions generation) {
        this.logits = logits;
        this.options = options;
        this.generation = generation;
    }

    List<Text> best(int... prompt) {
        List<Text> running = List.of(new Text(prompt, 0));
        List<Text> ended = new ArrayList<>();
        Comparator<Text> bestFirst = Comparator.comparingDouble(Text::score).reversed();
        for (int length = 1; length <= generation.maxTokens(); length++) {
            List<Text> all = new ArrayList<>();
            for (Text text : running) {
                double[] shares = logShares(logits.apply(text.tokens()));
                for (int word = 0; word < shares.length; word++) {
                    int[] longer = Arrays.copyOf(text.tokens(), text.tokens().length + 1);
                    longer[longer.length - 1] = word;
                    all.add(new Text(longer, text.score() + shares[word]));
                }
            }
            all.sort(bestFirst);
            List<Text> next = new ArrayList<>();
            for (int rank = 0; rank < 2 * options.beams() && next.size() < options.beams(); rank++) {
                Text text = all.get(rank);
                long last = text.tokens()[text.tokens().length - 1];
                if (!generation.stopTokens().contains(last)) {
                    next.add(text);
                } else if (rank < options.beams()) {
                    ended.add(scored(text, length));
                }
            }
            ended.sort(bestFirst);
            ended.subList(Math.min(ended.size(), options.beams()), ended.size()).clear();
            running = next;
            if (ended.size() == options.beams() && isSettled(ended.getLast(), next.getFirst(), length)) {
                return ended.subList(0, options.returned());
            }
        }
        running.forEach(text -> ended.add(scored(text, generation.maxTokens())));
        ended.sort(bestFirst);
        return ended.subList(0, options.returned());
    }

    private boolean isSettled(Text worst, Text running, int length) {
        int longest = options.stopping() == BeamOptions.Stopping.WHEN_IMPOSSIBLE && options.lengthPenalty() > 0
                ? generation.maxTokens()
                : length;
        return options.stopping() == BeamOptions.Stopping.AT_FIRST
                || worst.score() >= scored(running, longest).score();
    }

    private Text scored(Text text, int length) {
        return new Text(text.tokens(), text.score() / Math.pow(length, options.lengthPenalty()));
    }

    private static double[] logShares(double[] logits) {
        double sum = Arrays.stream(logits).map(Math::exp).sum();
        return Arrays.stream(logits).map(logit -> logit - Math.log(sum)).toArray();
    }
}
