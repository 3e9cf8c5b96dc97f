package dev.millrace.text.vocabulary;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import java.util.List;
import java.util.Map;

/** Whole words. */
final class WordLevel implements Vocabulary {
    private final Map<String, Integer> ids;
    private final String unknown;

    WordLevel(Json description) {
        ids = Vocabularies.ids(description.get("vocab"));
        unknown = description.get("unk_token").text("[UNK]");
    }

    @Override
    public void tokens(Aligned word, List<TextToken> to, Budget budget) {
        budget.spend(word.length());
        if (word.isEmpty()) {
            return;
        }
        String text = ids.containsKey(word.text()) ? word.text() : unknown;
        Integer id = ids.get(text);
        if (id != null) {
            to.add(new TextToken(id, text, word.start(0), word.end(word.length() - 1)));
        }
    }

    @Override
    public Map<String, Integer> ids() {
        return ids;
    }
}
