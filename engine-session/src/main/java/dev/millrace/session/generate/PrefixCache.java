package dev.millrace.session.generate;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Sequence;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.state.OpenSequence;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Caches that ended generations have left, for prompts that begin with the same tokens. A prompt that goes on where they end
 * takes them over. A prompt that shares only a part gets a copy of that part. Thread-safe.
 */
final class PrefixCache implements AutoCloseable {
    /** The fewest shared tokens for which caches are copied or cut. */
    private static final int LEAST_SHARED = 16;
    /** Caches are cut instead of copied if this part of them, of 8, is shared. */
    private static final int CUT_PART = 7;

    private static final int PARTS = 8;

    private final StatefulSession sequences;
    private final DecoderSignature signature;
    private final long budget;
    /** The caches that were not used longest first. */
    private final List<Kept> kept = new ArrayList<>();

    private long bytes;
    private boolean closed;

    /** A sequence whose caches have the keys and values of the first tokens of a prompt. */
    record Begun(Sequence sequence, int cached) {}

    /** The caches of an ended generation. */
    private static final class Kept {
        private final OpenSequence sequence;
        private final int[] words;
        private final long bytes;
        /** The number of copies under way, during which nobody takes the caches over. */
        private int readers;

        Kept(OpenSequence sequence, int[] words, long bytes) {
            this.sequence = sequence;
            this.words = words;
            this.bytes = bytes;
        }

        /** Returns the number of tokens at the beginning that are also those of a prompt, whose last token is not counted. */
        int shared(int[] prompt) {
            int end = Math.min(words.length, prompt.length - 1);
            int mismatch = Arrays.mismatch(words, 0, end, prompt, 0, end);
            return mismatch < 0 ? end : mismatch;
        }
    }

    PrefixCache(StatefulSession sequences, DecoderSignature signature, long budget) {
        this.sequences = sequences;
        this.signature = signature;
        this.budget = signature.keepsCaches() ? budget : 0;
    }

    /** Begins a sequence for a prompt. */
    Begun begin(int[] prompt) {
        Kept best;
        int shared;
        boolean isTaken;
        synchronized (this) {
            best = best(prompt);
            shared = best == null ? 0 : best.shared(prompt);
            if (best == null) {
                return new Begun(sequences.begin(), 0);
            }
            boolean isWhole = shared == best.words.length;
            isTaken = best.readers == 0 && (isWhole || shared * PARTS >= best.words.length * CUT_PART);
            kept.remove(best);
            if (isTaken) {
                bytes -= best.bytes;
            } else {
                kept.add(best);
                best.readers++;
            }
        }
        return isTaken ? taken(best, shared) : copied(best, shared);
    }

    private @Nullable Kept best(int[] prompt) {
        Kept best = null;
        int most = 0;
        for (Kept each : kept) {
            int shared = each.shared(prompt);
            boolean isWhole = shared == each.words.length;
            if (shared > most && (isWhole || signature.mayCutCaches() && shared >= LEAST_SHARED)) {
                most = shared;
                best = each;
            }
        }
        return best;
    }

    private Begun taken(Kept from, int shared) {
        if (shared < from.words.length && !signature.hasRoom()) {
            from.sequence.change(caches -> CacheCopies.first(caches, shared, shared));
        }
        return new Begun(from.sequence, shared);
    }

    private Begun copied(Kept from, int shared) {
        try {
            int room = signature.hasRoom() ? signature.room(shared + 1) : shared;
            return new Begun(from.sequence.fork(caches -> copy(caches, shared, room)), shared);
        } finally {
            synchronized (this) {
                from.readers--;
            }
        }
    }

    private Map<String, Tensor> copy(Map<String, Tensor> caches, int steps, int room) {
        return signature.mayCutCaches()
                ? CacheCopies.first(caches, steps, room)
                : CacheCopies.each(caches, Tensor::copyOf);
    }

    /**
     * Ends a sequence, whose caches are kept for later prompts if there is room for them.
     *
     * @param words the tokens whose keys and values the caches have
     */
    void end(Sequence sequence, int[] words) {
        if (budget == 0 || words.length == 0 || !(sequence instanceof OpenSequence open)) {
            sequence.close();
            return;
        }
        // a step that was cancelled may still be under way
        open.whenIdle(caches -> keep(new Kept(open, words, CacheCopies.bytes(caches)), fit(caches, words.length)));
    }

    /** Whether caches have what the tokens need: those of a generation that failed may not. */
    private boolean fit(Map<String, Tensor> caches, int steps) {
        return signature.hasRoom()
                ? CacheCopies.have(caches, steps)
                : !signature.mayCutCaches() || CacheCopies.end(caches, steps);
    }

    private void keep(Kept ended, boolean fits) {
        var dropped = new ArrayList<Kept>();
        synchronized (this) {
            boolean isKnown = kept.stream().anyMatch(each -> isPrefix(ended.words, each.words));
            if (closed || !fits || ended.bytes > budget || isKnown) {
                dropped.add(ended);
            } else {
                kept.removeIf(each -> isPrefix(each.words, ended.words) && drop(each, dropped));
                kept.add(ended);
                bytes += ended.bytes;
                for (int i = 0; bytes > budget && i < kept.size(); ) {
                    if (drop(kept.get(i), dropped)) {
                        kept.remove(i);
                    } else {
                        i++;
                    }
                }
            }
        }
        dropped.forEach(each -> each.sequence.close());
    }

    /** Drops caches unless they are being copied. */
    private boolean drop(Kept each, List<Kept> dropped) {
        if (each.readers > 0) {
            return false;
        }
        bytes -= each.bytes;
        dropped.add(each);
        return true;
    }

    private static boolean isPrefix(int[] words, int[] of) {
        return words.length <= of.length && Arrays.equals(words, 0, words.length, of, 0, words.length);
    }

    /** Whether caches are kept at all. */
    boolean keeps() {
        return budget > 0;
    }

    /** The bytes of the caches that are kept. */
    synchronized long bytes() {
        return bytes;
    }

    /** Frees the caches. Those of generations that go on are freed when they end. */
    @Override
    public void close() {
        List<Kept> all;
        synchronized (this) {
            closed = true;
            all = List.copyOf(kept);
            kept.clear();
            bytes = 0;
        }
        all.forEach(each -> each.sequence.close());
    }
}
