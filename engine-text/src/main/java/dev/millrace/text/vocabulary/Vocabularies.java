package dev.millrace.text.vocabulary;

import dev.millrace.text.json.Json;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** The models that a {@code tokenizer.json} can name. */
public final class Vocabularies {
    private Vocabularies() {}

    /** The texts of the tokens that stand for bytes. They are made at their first use, since many vocabularies have none. */
    private static final class ByteTokens {
        private static final String[] ALL = new String[256];

        static {
            Arrays.setAll(ALL, "<0x%02X>"::formatted);
        }
    }

    public static Vocabulary of(Json description) {
        return switch (kind(description)) {
            case "WordPiece" -> new WordPiece(description);
            case "BPE" -> new Bpe(description);
            case "Unigram" -> new Unigram(description);
            case "WordLevel" -> new WordLevel(description);
            default -> throw description.unknown("model");
        };
    }

    /** Old files leave the type out. */
    private static String kind(Json description) {
        Json type = description.get("type");
        if (!type.isNull()) {
            return type.text();
        }
        if (!description.get("merges").isNull()) {
            return "BPE";
        }
        if (description.get("vocab").isNull()) {
            throw description.refused(
                    "there is no vocabulary; a tokenizer.json has one, a tokenizer_config.json and a config.json have"
                            + " none");
        }
        return description.get("vocab").isObject() ? "WordPiece" : "Unigram";
    }

    static Map<String, Integer> ids(Json vocabulary) {
        // in the order of the file, so that of texts with one number the same one counts each time
        return Collections.unmodifiableMap(vocabulary.ids());
    }

    /** The tokens that stand for the 256 bytes, or none where one of them is missing. */
    static List<Integer> bytes(Map<String, Integer> ids) {
        var bytes = new ArrayList<Integer>(256);
        for (int b = 0; b < 256; b++) {
            Integer id = ids.get(byteToken(b));
            if (id == null) {
                return List.of();
            }
            bytes.add(id);
        }
        return List.copyOf(bytes);
    }

    static String byteToken(int each) {
        return ByteTokens.ALL[each];
    }
}
