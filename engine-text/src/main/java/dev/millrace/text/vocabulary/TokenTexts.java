package dev.millrace.text.vocabulary;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The texts of tokens by their numbers: an array, or a map where the numbers have large gaps. It never changes. */
public final class TokenTexts {
    private static final long GAPS = 4;
    private static final long FEW = 1 << 12;

    private final @Nullable String @Nullable [] dense;
    private final Map<Integer, String> sparse;
    private final int size;

    private TokenTexts(@Nullable String @Nullable [] dense, Map<Integer, String> sparse, int size) {
        this.dense = dense;
        this.sparse = sparse;
        this.size = size;
    }

    /** @param ids numbers from 0 on; of texts that have one number the last counts */
    public static TokenTexts of(Map<String, Integer> ids) {
        return of(ids, List.of());
    }

    /**
     * Returns the texts of tokens.
     *
     * @param ids numbers from 0 on; of texts that have one number the last counts
     * @param pieces the texts of the first numbers, for those that {@code ids} lacks
     */
    public static TokenTexts of(Map<String, Integer> ids, List<String> pieces) {
        int most = ids.isEmpty() ? -1 : Collections.max(ids.values());
        if (most >= FEW + GAPS * ids.size()) {
            var sparse = new HashMap<Integer, String>();
            for (int id = 0; id < pieces.size(); id++) {
                sparse.put(id, pieces.get(id));
            }
            ids.forEach((text, id) -> sparse.put(id, text));
            return new TokenTexts(null, sparse, sparse.size());
        }
        var dense = new @Nullable String[most + 1];
        int size = 0;
        for (var each : ids.entrySet()) {
            size += dense[each.getValue()] == null ? 1 : 0;
            dense[each.getValue()] = each.getKey();
        }
        for (int id = 0; id < Math.min(pieces.size(), dense.length); id++) {
            if (dense[id] == null) {
                dense[id] = pieces.get(id);
                size++;
            }
        }
        return new TokenTexts(dense, Map.of(), size);
    }

    /** The text of a token, or null where no token has the number. */
    public @Nullable String get(long id) {
        if (dense != null) {
            return id >= 0 && id < dense.length ? dense[(int) id] : null;
        }
        return id == (int) id ? sparse.get((int) id) : null;
    }

    /** How many numbers have a text. */
    public int size() {
        return size;
    }
}
