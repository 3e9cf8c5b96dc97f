package dev.millrace.text.vocabulary;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import dev.millrace.text.pattern.TextSet;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The unigram language model of SentencePiece (Kudo 2018): the segmentation of a word with the highest total score. */
final class Unigram implements Vocabulary {
    private static final double UNKNOWN_PENALTY = 10;

    private final Map<String, Integer> ids = new LinkedHashMap<>();
    private final String[] pieces;
    private final double[] scores;
    private final TextSet trie;
    private final int unknown;
    private final double unknownScore;
    private final List<Integer> bytes;

    Unigram(Json description) {
        List<Json> vocabulary = description.get("vocab").elements();
        pieces = new String[vocabulary.size()];
        scores = new double[vocabulary.size()];
        double least = pieces.length == 0 ? 0 : Double.POSITIVE_INFINITY;
        for (int id = 0; id < pieces.length; id++) {
            List<Json> pair = vocabulary.get(id).elements();
            if (pair.size() != 2) {
                throw vocabulary.get(id).refused("a piece is a text and its score");
            }
            pieces[id] = pair.get(0).text();
            scores[id] = pair.get(1).finite();
            ids.put(pieces[id], id);
            least = Math.min(least, scores[id]);
        }
        trie = TextSet.of(List.of(pieces));
        unknown = description.get("unk_id").integer(-1);
        if (unknown >= pieces.length) {
            throw description.refused("unk_id is " + unknown + ", and there are " + pieces.length + " pieces");
        }
        unknownScore = least - UNKNOWN_PENALTY;
        bytes = description.get("byte_fallback").flag(false) ? Vocabularies.bytes(ids) : List.of();
    }

    @Override
    public void tokens(Aligned word, List<TextToken> to, Budget budget) {
        String text = word.text();
        int[] from = new int[text.length() + 1];
        int[] piece = new int[text.length() + 1];
        search(text, from, piece, budget);
        // backwards along the best segmentation; neighbouring unknown pieces are joined
        int count = 0;
        int[] cuts = new int[text.length() + 1];
        for (int at = text.length(); at > 0; at = from[at]) {
            cuts[count++] = at;
        }
        int start = 0;
        for (int i = count - 1; i >= 0; i--) {
            int end = cuts[i];
            if (piece[end] >= 0) {
                to.add(new TextToken(piece[end], pieces[piece[end]], word.start(start), word.end(end - 1)));
                start = end;
            } else if (i == 0 || piece[cuts[i - 1]] >= 0) {
                unknown(word, start, end, to);
                start = end;
            }
        }
    }

    private void unknown(Aligned word, int start, int end, List<TextToken> to) {
        String text = word.text().substring(start, end);
        if (!bytes.isEmpty()) {
            for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
                String token = Vocabularies.byteToken(each & 0xff);
                to.add(new TextToken(bytes.get(each & 0xff), token, word.start(start), word.end(end - 1)));
            }
        } else if (unknown >= 0) {
            to.add(new TextToken(unknown, text, word.start(start), word.end(end - 1)));
        }
    }

    /** Finds the best piece before each end, -1 for an unknown code point, and its start (Viterbi algorithm). */
    private void search(String text, int[] from, int[] piece, Budget budget) {
        double[] best = new double[text.length() + 1];
        Arrays.fill(from, -1);
        from[0] = 0;
        int node = 0;
        // the start of the code point before the end
        int single = 0;
        for (int end = 1; end <= text.length(); end++) {
            node = trie.next(node, text.charAt(end - 1));
            budget.spend(1);
            if (isInsidePair(text, end)) {
                continue;
            }
            boolean hasSingle = false;
            for (int at = trie.longestText(node); at > 0; at = trie.shorterText(at)) {
                budget.spend(1);
                int id = trie.value(at);
                int start = end - trie.length(id);
                if (from[start] >= 0) {
                    offer(best[start] + scores[id], start, end, id, best, from, piece);
                    hasSingle |= start == single;
                }
            }
            if (!hasSingle) {
                offer(best[single] + unknownScore, single, end, -1, best, from, piece);
            }
            single = end;
        }
    }

    private static boolean isInsidePair(String text, int at) {
        return at < text.length()
                && Character.isHighSurrogate(text.charAt(at - 1))
                && Character.isLowSurrogate(text.charAt(at));
    }

    private static void offer(double score, int at, int end, int id, double[] best, int[] from, int[] piece) {
        if (from[end] < 0 || score > best[end]) {
            best[end] = score;
            from[end] = at;
            piece[end] = id;
        }
    }

    @Override
    public List<String> pieces() {
        return List.of(pieces);
    }

    @Override
    public Map<String, Integer> ids() {
        return ids;
    }
}
