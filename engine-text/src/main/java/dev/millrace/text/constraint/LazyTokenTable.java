package dev.millrace.text.constraint;

import dev.millrace.text.postprocessor.TokenBytes;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The table of a tokenizer's tokens, which is made when a constraint first needs it. Thread-safe. */
public final class LazyTokenTable {
    private final Map<String, Integer> ids;
    private final Set<Integer> added;
    private final TokenBytes content;
    private @Nullable TokenTable table;

    public LazyTokenTable(Map<String, Integer> ids, Set<Integer> added, TokenBytes content) {
        this.ids = ids;
        this.added = added;
        this.content = content;
    }

    /** Returns the bytes of a token with a text wherever it is, as far as tokens have bytes of their own. */
    public byte[] bytes(long id, String text) {
        return added.contains((int) id) ? text.getBytes(StandardCharsets.UTF_8) : content.of(text);
    }

    public synchronized TokenTable get() {
        TokenTable made = table;
        if (made == null) {
            made = new TokenTable(ids, added, content);
            table = made;
        }
        return made;
    }
}
