package dev.millrace.session.generate;

import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Sequence;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Guesses of a draft model for the tokens that follow a text, each time the most likely token. For one thread at a time. */
final class DraftText implements AutoCloseable {
    private static final int CHUNK = 512;

    private final LeasedRuns leased;
    private final DecoderSignature signature;
    private final PrefixCache prefixes;
    private final RunOptions runs;
    private @Nullable Sequence sequence;
    /** The tokens whose keys and values the caches have, and some behind them. */
    private int[] covered = {};

    private int cached;

    /** @param runs the options of the runs of the text */
    DraftText(LeasedRuns leased, RunOptions runs) {
        this.leased = leased;
        this.signature = leased.signature();
        this.prefixes = leased.runs().prefixes();
        this.runs = runs.toBuilder().outputs(signature.logits()).build();
    }

    /**
     * Returns the tokens that the draft model would say.
     *
     * @param words the tokens of the text, of which there are {@code count}
     * @param wanted the maximum number of guesses
     * @param vocabulary the number of tokens that the model of the text knows
     */
    int[] guesses(int[] words, int count, int wanted, int vocabulary) {
        int[] all = Arrays.copyOf(words, count + wanted);
        Sequence own = begun(all, count);
        int length = count;
        if (signature.contextLength() > 0 && all.length > signature.contextLength()) {
            return Speculation.NONE;
        }
        while (length < all.length) {
            int word = next(own, all, length);
            if (word >= vocabulary) {
                break;
            }
            all[length++] = word;
        }
        return Arrays.copyOfRange(all, count, length);
    }

    /** Returns the sequence, whose caches are taken to have no tokens but those that the text has. */
    private Sequence begun(int[] words, int count) {
        Sequence own = sequence;
        if (own == null) {
            PrefixCache.Begun begun = prefixes.begin(Arrays.copyOf(words, count));
            own = begun.sequence();
            sequence = own;
            cached = begun.cached();
        } else {
            // the next run reads one token at least
            int same = Arrays.mismatch(covered, 0, cached, words, 0, count - 1);
            cached = same < 0 ? Math.min(cached, count - 1) : same;
        }
        covered = words;
        return own;
    }

    private int next(Sequence own, int[] words, int length) {
        while (true) {
            int end = Math.min(length, cached + CHUNK);
            Inputs inputs = signature.steps().of(words, cached, end, length);
            try (Outputs outputs = own.run(inputs, runs)) {
                cached = end;
                if (end == length) {
                    return likeliest(signature.lastLogits(outputs, 0, 1));
                }
            }
        }
    }

    private static int likeliest(float[] logits) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            best = logits[i] > logits[best] ? i : best;
        }
        return best;
    }

    @Override
    public void close() {
        if (sequence != null) {
            prefixes.end(sequence, Arrays.copyOf(covered, cached));
        }
        leased.close();
    }
}
