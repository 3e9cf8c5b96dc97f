package dev.millrace.session.generate;

import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.state.OpenSequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A decoder that a search runs: the prompt in chunks, then a token of all beams in one run. If the model takes no batch, each
 * beam has a sequence and a run of its own.
 */
final class DecoderBeams implements BeamModel {
    /** The most tokens of a prompt that a run reads. */
    private static final int CHUNK = 512;

    private final LeasedRuns leased;
    private final DecoderSignature signature;
    private final PrefixCache prefixes;
    private final int[] prompt;
    private final int known;
    private final boolean isBatched;

    /** The sequences with the caches: one for all beams, or one for each. */
    private final List<OpenSequence> sequences = new ArrayList<>();

    private int cached;
    /** The number of tokens that the run under way covers. */
    private int covered;

    /** All tokens of each beam; the prompt before the first step. */
    private int[][] words;

    private @Nullable BeamEntries entries;
    /** The logits of this step so far, where each beam has a run of its own. */
    private final List<float[]> logits = new ArrayList<>();

    private boolean ended;

    DecoderBeams(LeasedRuns leased, int[] prompt) {
        this.leased = leased;
        this.signature = leased.signature();
        this.prefixes = leased.runs().prefixes();
        this.prompt = prompt;
        this.words = new int[][] {prompt};
        this.isBatched = signature.takesBatch();
        PrefixCache.Begun begun = prefixes.begin(prompt);
        this.known = begun.cached();
        this.cached = begun.cached();
        this.sequences.add((OpenSequence) begun.sequence());
    }

    /** The number of tokens of the prompt that the caches had at the beginning. */
    int known() {
        return known;
    }

    @Override
    public Inference inference() {
        return entries == null || isBatched ? sequences.getFirst() : sequences.get(entries.entry(logits.size()));
    }

    @Override
    public List<String> outputs() {
        return List.of(signature.logits());
    }

    @Override
    public Inputs inputs() {
        int count = words[0].length;
        if (entries == null) {
            covered = signature.keepsCaches() ? Math.min(count, cached + CHUNK) : count;
            return signature.steps().of(prompt, cached, covered, count);
        }
        covered = count;
        if (!isBatched) {
            return signature.steps().of(words[logits.size()], cached, count, count);
        }
        int[][] rows = new int[words.length][];
        for (int beam = 0; beam < rows.length; beam++) {
            rows[entries.entry(beam)] = words[beam];
        }
        return signature.steps().of(rows, cached, count);
    }

    @Override
    public float @Nullable [][] taken(Outputs outputs) {
        try (outputs) {
            return read(outputs);
        }
    }

    private float @Nullable [][] read(Outputs outputs) {
        BeamEntries own = entries;
        if (own == null || !isBatched) {
            if (covered < words[0].length) {
                cached = covered;
                return null;
            }
            logits.add(signature.lastLogits(outputs, 0, 1));
            if (own != null && logits.size() < words.length) {
                return null;
            }
        } else {
            for (int beam = 0; beam < words.length; beam++) {
                logits.add(signature.lastLogits(outputs, own.entry(beam), words.length));
            }
        }
        cached = signature.keepsCaches() ? covered : 0;
        float[][] all = logits.toArray(float[][]::new);
        logits.clear();
        return all;
    }

    @Override
    public void advance(int[] parents, int[][] longer) {
        words = longer;
        if (entries == null) {
            entries = new BeamEntries(parents.length);
            begin(parents.length);
            return;
        }
        List<BeamEntries.Copy> copies = entries.advance(parents);
        if (copies.isEmpty() || !signature.keepsCaches()) {
            return;
        }
        if (isBatched) {
            sequences.getFirst().change(caches -> {
                copies.forEach(copy -> CacheCopies.move(caches, copy.from(), copy.to(), steps()));
                return caches;
            });
        } else {
            copies.forEach(copy -> sequences.set(copy.to(), replaced(copy)).close());
        }
    }

    private OpenSequence replaced(BeamEntries.Copy copy) {
        return sequences.get(copy.from()).fork(CacheCopies::whole);
    }

    /** Returns the steps that the caches have, if they have room for more. */
    private int steps() {
        return signature.hasRoom() ? cached : CacheCopies.WHOLE;
    }

    /** Gives each beam a copy of the prompt's caches. */
    private void begin(int beams) {
        OpenSequence first = sequences.getFirst();
        if (!isBatched) {
            while (sequences.size() < beams) {
                sequences.add(first.fork(CacheCopies::whole));
            }
        } else if (signature.keepsCaches()) {
            first.change(caches -> CacheCopies.all(caches, beams, steps()));
        }
    }

    /** Leaves the caches of the prompt to later ones. */
    @Override
    public void end() {
        if (!prefixes.keeps() || !signature.mayCutCaches() || sequences.isEmpty() || cached < prompt.length) {
            return;
        }
        OpenSequence first = sequences.removeFirst();
        int room = signature.hasRoom() ? signature.room(prompt.length) : prompt.length;
        first.change(caches -> CacheCopies.first(caches, prompt.length, room));
        prefixes.end(first, Arrays.copyOf(prompt, prompt.length));
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            sequences.forEach(OpenSequence::close);
            leased.close();
        }
    }
}
