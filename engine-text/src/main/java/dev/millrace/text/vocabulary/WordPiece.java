package dev.millrace.text.vocabulary;

import dev.millrace.text.json.Json;
import dev.millrace.text.normal.Aligned;
import java.util.List;
import java.util.Map;

/** The longest pieces that the vocabulary has, from the left; a word that cannot be made of them is unknown. */
final class WordPiece implements Vocabulary {
    private final Map<String, Integer> ids;
    private final String unknown;
    private final int unknownId;
    private final String inside;
    private final int longestWord;
    private final int longestPiece;

    WordPiece(Json description) {
        ids = Vocabularies.ids(description.get("vocab"));
        unknown = description.get("unk_token").text("[UNK]");
        inside = description.get("continuing_subword_prefix").text("##");
        longestWord = description.get("max_input_chars_per_word").integer(100);
        longestPiece = ids.keySet().stream().mapToInt(String::length).max().orElse(0);
        Integer id = ids.get(unknown);
        if (id == null) {
            throw description.refused("its vocabulary has no '" + unknown + "'");
        }
        unknownId = id;
    }

    @Override
    public void tokens(Aligned word, List<Token> to) {
        String text = word.text();
        int first = to.size();
        boolean fits = text.codePointCount(0, text.length()) <= longestWord;
        for (int at = 0; fits && at < text.length(); ) {
            int end = Math.min(text.length(), at + longestPiece);
            String prefix = at == 0 ? "" : inside;
            Integer id = ids.get(prefix + text.substring(at, end));
            while (id == null && end > at + 1) {
                end--;
                id = ids.get(prefix + text.substring(at, end));
            }
            if (id == null) {
                fits = false;
            } else {
                to.add(new Token(id, prefix + text.substring(at, end), word.start(at), word.end(end - 1)));
                at = end;
            }
        }
        if (!fits) {
            to.subList(first, to.size()).clear();
            to.add(new Token(unknownId, unknown, word.start(0), word.end(word.length() - 1)));
        }
    }

    @Override
    public Map<String, Integer> ids() {
        return ids;
    }
}
