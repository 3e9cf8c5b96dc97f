package dev.millrace.text.vocabulary;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Byte pair encoding (Sennrich, Haddow and Birch 2016): merges pairs of neighbouring tokens, those of the earliest
 * merge first.
 */
final class Bpe implements Vocabulary {
    private static final int MOST_REMEMBERED = 10_000;
    private static final int LONGEST_REMEMBERED = 64;

    private final Map<String, Integer> ids;
    private final Map<Long, Merge> merges = new HashMap<>();
    private final @Nullable String unknown;
    private final String inside;
    private final String behind;
    private final boolean fusesUnknown;
    private final boolean takesWholeWords;
    private final List<Integer> bytes;
    private final TokenTexts texts;
    private final Map<String, List<Part>> remembered = new HashMap<>();

    /** The token that a pair is merged to, and the rank of the merge. */
    private record Merge(int rank, int id) {}

    /** A token of a word and the range of its chars. */
    private record Part(int id, int from, int to) {}

    Bpe(Json description) {
        ids = Vocabularies.ids(description.get("vocab"));
        unknown = description.get("unk_token").isNull()
                ? null
                : description.get("unk_token").text();
        inside = description.get("continuing_subword_prefix").text("");
        behind = description.get("end_of_word_suffix").text("");
        fusesUnknown = description.get("fuse_unk").flag(false);
        takesWholeWords = description.get("ignore_merges").flag(false);
        bytes = description.get("byte_fallback").flag(false) ? Vocabularies.bytes(ids) : List.of();
        texts = TokenTexts.of(ids);
        for (Json merge : description.get("merges").elements()) {
            add(merge);
        }
    }

    private void add(Json merge) {
        String left;
        String right;
        if (merge.isText()) {
            String both = merge.text();
            int space = both.indexOf(' ', 1);
            left = space < 0 ? "" : both.substring(0, space);
            right = both.substring(space + 1);
        } else {
            List<Json> pair = merge.elements();
            if (pair.size() != 2) {
                throw merge.refused("a merge is of two");
            }
            left = pair.get(0).text();
            right = pair.get(1).text();
        }
        Integer first = ids.get(left);
        Integer second = ids.get(right);
        Integer made = ids.get(left + right.substring(right.startsWith(inside) ? inside.length() : 0));
        if (first == null || second == null || made == null) {
            throw merge.refused("the vocabulary has not all of '" + left + "', '" + right + "' and what they become");
        }
        merges.putIfAbsent(key(first, second), new Merge(merges.size(), made));
    }

    private static long key(int left, int right) {
        return (long) left << 32 | right;
    }

    @Override
    public void tokens(Aligned word, List<TextToken> to, Budget budget) {
        if (word.isEmpty()) {
            return;
        }
        for (Part part : parts(word.text(), budget)) {
            to.add(new TextToken(
                    part.id(),
                    Objects.requireNonNull(texts.get(part.id())),
                    word.start(part.from()),
                    word.end(part.to() - 1)));
        }
    }

    private List<Part> parts(String word, Budget budget) {
        budget.spend(word.length());
        if (word.length() > LONGEST_REMEMBERED) {
            return merged(word, budget);
        }
        synchronized (remembered) {
            List<Part> known = remembered.get(word);
            if (known != null) {
                return known;
            }
        }
        List<Part> made = merged(word, budget);
        synchronized (remembered) {
            if (remembered.size() >= MOST_REMEMBERED) {
                remembered.clear();
            }
            remembered.put(word, made);
        }
        return made;
    }

    private List<Part> merged(String word, Budget budget) {
        Integer whole = takesWholeWords ? ids.get(word) : null;
        return whole != null
                ? List.of(new Part(whole, 0, word.length()))
                : new Merging(letters(word, budget), budget).run();
    }

    /** Returns the word's code points as tokens; those without a token as bytes, or as the unknown token. */
    private List<Part> letters(String word, Budget budget) {
        var letters = new ArrayList<Part>();
        boolean afterUnknown = false;
        for (int at = 0; at < word.length(); ) {
            int next = at + Character.charCount(word.codePointAt(at));
            String letter = (at == 0 ? "" : inside) + word.substring(at, next) + (next == word.length() ? behind : "");
            budget.spend(letter.length());
            Integer id = ids.get(letter);
            if (id != null) {
                letters.add(new Part(id, at, next));
            } else if (!bytes.isEmpty()) {
                for (byte each : word.substring(at, next).getBytes(StandardCharsets.UTF_8)) {
                    letters.add(new Part(bytes.get(each & 0xff), at, next));
                }
            } else if (unknown != null && ids.containsKey(unknown)) {
                if (fusesUnknown && afterUnknown) {
                    letters.set(
                            letters.size() - 1,
                            new Part(letters.getLast().id(), letters.getLast().from(), next));
                } else {
                    letters.add(new Part(ids.getOrDefault(unknown, 0), at, next));
                }
            }
            afterUnknown = id == null && bytes.isEmpty();
            at = next;
        }
        return letters;
    }

    /** The parts of a word as a linked list, and a queue of the possible merges, the earliest first. */
    private final class Merging {
        private final Budget budget;
        private final List<@Nullable Part> parts;
        private final int[] left;
        private final int[] right;
        private final PriorityQueue<Candidate> candidates = new PriorityQueue<>();

        /** A possible merge of two neighbours, as they were when it was queued. */
        private record Candidate(int rank, int at, Part first, Part second, int made) implements Comparable<Candidate> {
            @Override
            public int compareTo(Candidate other) {
                int byRank = Integer.compare(rank, other.rank);
                return byRank == 0 ? Integer.compare(at, other.at) : byRank;
            }
        }

        Merging(List<Part> letters, Budget budget) {
            this.budget = budget;
            parts = new ArrayList<>(letters);
            left = new int[parts.size()];
            right = new int[parts.size()];
            for (int i = 0; i < left.length; i++) {
                left[i] = i - 1;
                right[i] = i + 1 < left.length ? i + 1 : -1;
            }
        }

        List<Part> run() {
            for (int i = 0; i + 1 < left.length; i++) {
                look(i);
            }
            while (!candidates.isEmpty()) {
                budget.spend(1);
                merge(candidates.poll());
            }
            var merged = new ArrayList<Part>();
            for (Part part : parts) {
                if (part != null) {
                    merged.add(part);
                }
            }
            return List.copyOf(merged);
        }

        private void look(int at) {
            Part first = at < 0 ? null : parts.get(at);
            Part second = first == null || right[at] < 0 ? null : parts.get(right[at]);
            if (first != null && second != null) {
                Merge merge = merges.get(key(first.id(), second.id()));
                if (merge != null) {
                    candidates.add(new Candidate(merge.rank(), at, first, second, merge.id()));
                }
            }
        }

        private void merge(Candidate candidate) {
            int at = candidate.at();
            int next = right[at];
            // one of the two may have been merged with another by now
            if (parts.get(at) != candidate.first() || next < 0 || parts.get(next) != candidate.second()) {
                return;
            }
            parts.set(
                    at,
                    new Part(
                            candidate.made(),
                            candidate.first().from(),
                            candidate.second().to()));
            parts.set(next, null);
            right[at] = right[next];
            if (right[at] >= 0) {
                left[right[at]] = at;
            }
            look(left[at]);
            look(at);
        }
    }

    @Override
    public Map<String, Integer> ids() {
        return ids;
    }
}
