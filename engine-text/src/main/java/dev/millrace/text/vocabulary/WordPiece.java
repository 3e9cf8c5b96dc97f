package dev.millrace.text.vocabulary;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import dev.millrace.text.pattern.TextSet;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** The longest pieces that the vocabulary has, from the left; a word that cannot be made of them is unknown. */
final class WordPiece implements Vocabulary {
    private final Map<String, Integer> ids;
    private final List<String> pieces;
    private final TextSet trie;
    private final String unknown;
    private final int unknownId;
    /** The node behind what the pieces inside of a word begin with; -1 where no piece does. */
    private final int inside;

    private final int longestWord;

    WordPiece(Json description) {
        ids = Vocabularies.ids(description.get("vocab"));
        String[] sorted = ids.keySet().toArray(new String[0]);
        Arrays.sort(sorted);
        pieces = List.of(sorted);
        trie = TextSet.of(pieces);
        unknown = description.get("unk_token").text("[UNK]");
        inside = inside(description.get("continuing_subword_prefix").text("##"));
        longestWord = description.get("max_input_chars_per_word").count(100);
        Integer id = ids.get(unknown);
        if (id == null) {
            throw description.refused("its vocabulary has no '" + unknown + "'");
        }
        unknownId = id;
    }

    private int inside(String prefix) {
        int node = 0;
        for (int i = 0; i < prefix.length() && node >= 0; i++) {
            node = trie.child(node, prefix.charAt(i));
        }
        return node;
    }

    @Override
    public void tokens(Aligned word, List<TextToken> to, Budget budget) {
        String text = word.text();
        int first = to.size();
        budget.spend(text.length());
        boolean fits = text.codePointCount(0, text.length()) <= longestWord;
        for (int at = 0; fits && at < text.length(); ) {
            int start = at;
            int piece = -1;
            int node = at == 0 ? 0 : inside;
            for (int i = at; node >= 0 && i < text.length(); i++) {
                node = trie.child(node, text.charAt(i));
                budget.spend(1);
                if (node >= 0 && trie.value(node) >= 0) {
                    piece = trie.value(node);
                    at = i + 1;
                }
            }
            fits = piece >= 0;
            if (fits) {
                String token = pieces.get(piece);
                to.add(new TextToken(ids.getOrDefault(token, unknownId), token, word.start(start), word.end(at - 1)));
            }
        }
        if (!fits) {
            to.subList(first, to.size()).clear();
            to.add(new TextToken(unknownId, unknown, word.start(0), word.end(word.length() - 1)));
        }
    }

    @Override
    public Map<String, Integer> ids() {
        return ids;
    }
}
