package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.search.Likeliest;
import dev.millrace.providers.search.Scores;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The beams of a search, as Hugging Face defines it: each step keeps the continuations with the largest sums of log
 * probabilities, and a text that ends gets its sum divided by a power of the number of generated tokens. Ties go to the earlier
 * beam and the smaller token.
 */
final class BeamSearch {
    private final BeamOptions options;
    private final GenerationOptions generation;
    private final Sampler sampler;
    private final int prompt;
    private final int known;
    private final int contextLength;

    private List<Beam> beams;
    /** The best texts that have ended, the best one first. */
    private final List<Ended> ended = new ArrayList<>();

    private boolean done;

    /** A text that goes on. One whose sum is minus infinity only fills a place. */
    private record Beam(int[] words, float sum, List<TokenLikelihood> likelihoods) {}

    private record Ended(Beam beam, Ending ending, double score) {}

    /**
     * @param known the number of tokens of the prompt that the caches had
     * @param contextLength 0 if it is not known
     */
    BeamSearch(
            BeamOptions options,
            GenerationOptions generation,
            Sampler sampler,
            int[] prompt,
            int known,
            int contextLength) {
        this.options = options;
        this.generation = generation;
        this.sampler = sampler;
        this.prompt = prompt.length;
        this.known = known;
        this.contextLength = contextLength;
        this.beams = List.of(new Beam(prompt, 0, List.of()));
    }

    /** Refuses options that no search has. */
    static void check(GenerationOptions generation) {
        if (generation.temperature() != 0) {
            throw EngineException.invalidArgument(
                    "a beam search draws no tokens, so its temperature is 0; it is " + generation.temperature());
        }
        if (generation.constraint() != null) {
            throw EngineException.notImplemented("a beam search follows no constraint");
        }
    }

    boolean isDone() {
        return done;
    }

    /** The tokens of each beam, the prompt's included. */
    int[][] words() {
        return beams.stream().map(Beam::words).toArray(int[][]::new);
    }

    /**
     * Extends the beams by a token.
     *
     * @param logits those behind the last token of each beam, which are changed: one row at first, then one for each beam
     * @return the rows whose beams the next ones continue, as many as there are beams
     */
    int[] advance(float[][] logits) {
        int count = options.beams();
        int ends = Math.max(1, generation.stopTokens().size());
        float[][] raw = generation.logprobs() == null ? null : new float[logits.length][];
        var likeliest = new Likeliest((1 + ends) * count);
        for (int row = 0; row < logits.length; row++) {
            Beam beam = beams.get(row);
            if (beam.sum() == Float.NEGATIVE_INFINITY) {
                continue;
            }
            if (raw != null) {
                raw[row] = logits[row].clone();
            }
            addCandidates(sampler.logShares(logits[row], beam.words(), prompt), row, beam.sum(), likeliest);
        }
        int[] parents = new int[count];
        beams = chosen(likeliest, raw, parents);
        settle();
        return parents;
    }

    private static void addCandidates(float[] scores, int row, float sum, Likeliest to) {
        for (int word = 0; word < scores.length; word++) {
            if (scores[word] > Scores.NEVER) {
                to.add(sum + scores[word], row, word);
            }
        }
    }

    private List<Beam> chosen(Likeliest candidates, float @Nullable [] @Nullable [] raw, int[] parents) {
        int count = options.beams();
        var next = new ArrayList<Beam>();
        for (int i = 0; i < candidates.count() && next.size() < count; i++) {
            int row = candidates.row(i);
            int word = candidates.word(i);
            boolean isEnd = generation.stopTokens().contains((long) word);
            if (isEnd && i >= count) {
                continue;
            }
            Beam longer = longer(beams.get(row), word, candidates.score(i), raw == null ? null : raw[row]);
            if (isEnd) {
                end(longer, Ending.STOP_TOKEN);
            } else {
                parents[next.size()] = row;
                next.add(longer);
            }
        }
        done = next.isEmpty();
        while (!done && next.size() < count) {
            Beam first = next.getFirst();
            parents[next.size()] = parents[0];
            next.add(new Beam(first.words(), Float.NEGATIVE_INFINITY, first.likelihoods()));
        }
        return next;
    }

    private Beam longer(Beam beam, int word, float sum, float @Nullable [] raw) {
        int[] words = Arrays.copyOf(beam.words(), beam.words().length + 1);
        words[words.length - 1] = word;
        Integer reported = generation.logprobs();
        if (raw == null || reported == null) {
            return new Beam(words, sum, List.of());
        }
        var likelihoods = new ArrayList<>(beam.likelihoods());
        likelihoods.add(Sampler.likelihood(raw.clone(), word, reported));
        return new Beam(words, sum, likelihoods);
    }

    private void end(Beam beam, Ending ending) {
        double score = score(beam.sum(), beam.words().length - prompt);
        int at = ended.size();
        while (at > 0 && score > ended.get(at - 1).score()) {
            at--;
        }
        ended.add(at, new Ended(beam, ending, score));
        if (ended.size() > options.beams()) {
            ended.removeLast();
        }
    }

    private double score(float sum, int length) {
        return sum / Math.pow(length, options.lengthPenalty());
    }

    /** Ends the search if no better text is expected, or if the texts have as many tokens as they may. */
    private void settle() {
        if (done) {
            return;
        }
        Beam best = beams.getFirst();
        int length = best.words().length;
        if (ended.size() == options.beams() && isSettled(best.sum(), length - prompt)) {
            done = true;
            return;
        }
        boolean isFull = contextLength > 0 && length > contextLength;
        if (isFull || length - prompt >= generation.maxTokens()) {
            Ending ending = length - prompt >= generation.maxTokens() ? Ending.MAX_TOKENS : Ending.CONTEXT_FULL;
            beams.stream().filter(beam -> beam.sum() > Float.NEGATIVE_INFINITY).forEach(beam -> end(beam, ending));
            done = true;
        }
    }

    private boolean isSettled(float best, int length) {
        double worst = ended.getLast().score();
        return switch (options.stopping()) {
            case AT_FIRST -> true;
            case WHEN_UNLIKELY -> worst >= score(best, length);
            case WHEN_IMPOSSIBLE -> worst >= score(best, options.lengthPenalty() > 0 ? longest() : length);
        };
    }

    /** Returns the number of tokens that a text may have at most. */
    private int longest() {
        return contextLength > 0
                ? Math.min(generation.maxTokens(), contextLength + 1 - prompt)
                : generation.maxTokens();
    }

    /** Returns the best texts, the best one first. */
    List<ScoredGeneration> results() {
        if (ended.isEmpty()) {
            throw EngineException.invalidArgument("the options allow no token behind the prompt in any beam");
        }
        return ended.stream()
                .sorted(Comparator.comparingDouble(Ended::score).reversed())
                .limit(options.returned())
                .map(this::result)
                .toList();
    }

    private ScoredGeneration result(Ended text) {
        int[] words = text.beam().words();
        List<TokenLikelihood> likelihoods = text.beam().likelihoods();
        var tokens = new ArrayList<Token>();
        for (int i = prompt; i < words.length; i++) {
            int index = i - prompt;
            tokens.add(new Token(
                    words[i],
                    index,
                    i == words.length - 1 ? text.ending() : null,
                    likelihoods.isEmpty() ? null : likelihoods.get(index),
                    new TokenUsage(prompt, known, index + 1)));
        }
        return new ScoredGeneration(new Generation(tokens, text.ending()), text.score());
    }
}
