package dev.millrace.session.generate;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.state.OpenSequence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The caches of a batch, each entry of which belongs to a text. For one thread at a time. */
final class SharedCaches {
    private final DecoderSignature signature;
    private final Supplier<OpenSequence> sequences;
    /** The texts by their entries; null for free entries. */
    private @Nullable BatchedText[] entries = {};

    private @Nullable OpenSequence sequence;
    private int room;

    SharedCaches(DecoderSignature signature, Supplier<OpenSequence> sequences) {
        this.signature = signature;
        this.sequences = sequences;
    }

    /** The texts that have entries. */
    List<BatchedText> texts() {
        var texts = new ArrayList<BatchedText>();
        for (BatchedText text : entries) {
            if (text != null) {
                texts.add(text);
            }
        }
        return texts;
    }

    /** The number of entries, some of which may be free. */
    int size() {
        return entries.length;
    }

    /** The steps that each entry has room for. */
    int room() {
        return room;
    }

    @Nullable
    BatchedText text(int entry) {
        return entries[entry];
    }

    /** The runs on the caches. */
    OpenSequence sequence() {
        return Objects.requireNonNull(sequence);
    }

    /**
     * Gives entries to further texts, and all entries room for another token.
     *
     * @param round the number of runs so far
     */
    void add(List<BatchedText> further, long round) {
        List<BatchedText> all = texts();
        all.addAll(further);
        int size = Math.max(2, Integer.highestOneBit(2 * all.size() - 1));
        int longest = all.stream().mapToInt(BatchedText::cached).max().orElse(0);
        int needed = signature.room(longest + 1);
        if (size == entries.length && needed <= room) {
            for (BatchedText text : further) {
                put(text, free(), round);
            }
        } else {
            lay(all, size, needed, round);
        }
    }

    private int free() {
        int entry = 0;
        while (entries[entry] != null) {
            entry++;
        }
        return entry;
    }

    /** Copies a text's own caches to a free entry. */
    private void put(BatchedText text, int entry, long round) {
        Map<String, Tensor> own = new HashMap<>();
        text.own().read(caches -> {
            sequence().read(all -> {
                caches.forEach((name, cache) ->
                        CacheCopies.copy(cache, 0, Objects.requireNonNull(all.get(name)), entry, text.cached()));
                return own;
            });
            return own;
        });
        entries[entry] = text;
        text.enter(entry, round);
        text.own().reset();
    }

    /** Lays the caches anew: as many entries, with this room. */
    private void lay(List<BatchedText> all, int size, int wider, long round) {
        OpenSequence runs = sequence == null ? sequences.get() : sequence;
        sequence = runs;
        List<BatchedText> further =
                all.stream().filter(text -> !text.isShared()).toList();
        Map<String, Tensor> like = all.getFirst().own().read(caches -> caches);
        runs.change(before -> {
            Map<String, Tensor> laid = CacheCopies.each(like, cache -> CacheCopies.ofEntries(cache, size, wider));
            for (int i = 0; i < all.size(); i++) {
                BatchedText text = all.get(i);
                int entry = i;
                if (text.isShared()) {
                    copy(before, text.entry(), laid, entry, text.cached());
                } else {
                    text.own().read(caches -> copy(caches, 0, laid, entry, text.cached()));
                }
            }
            return laid;
        });
        entries = new BatchedText[size];
        room = wider;
        for (int i = 0; i < all.size(); i++) {
            entries[i] = all.get(i);
            all.get(i).enter(i, round);
        }
        further.forEach(text -> text.own().reset());
    }

    private static Map<String, Tensor> copy(
            Map<String, Tensor> from, int fromEntry, Map<String, Tensor> to, int toEntry, int steps) {
        to.forEach((name, cache) ->
                CacheCopies.copy(Objects.requireNonNull(from.get(name)), fromEntry, cache, toEntry, steps));
        return to;
    }

    /** Takes the entry of a text, and gives its tokens back to its own caches. Frees the memory if no text is left. */
    void remove(BatchedText text) {
        if (!text.isShared()) {
            return;
        }
        int entry = text.entry();
        if (text.cached() > 0) {
            int own = signature.room(text.cached() + 1);
            Map<String, Tensor> copies = sequence()
                    .read(all -> CacheCopies.each(all, cache -> {
                        Tensor copy = CacheCopies.ofEntries(cache, 1, own);
                        CacheCopies.copy(cache, entry, copy, 0, text.cached());
                        return copy;
                    }));
            text.own().change(_ -> copies);
        }
        entries[entry] = null;
        text.leave();
        if (texts().isEmpty()) {
            sequence().reset();
            entries = new BatchedText[0];
            room = 0;
        }
    }
}
