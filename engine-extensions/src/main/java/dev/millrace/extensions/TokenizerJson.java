package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.text.Tokenizer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/** Descriptions of tokenizers, in the form of tokenizer.json. */
final class TokenizerJson {
    private static final char FIRST_PRINTED = ' ';

    private TokenizerJson() {}

    /** Returns a text as a JSON string. */
    static String quoted(String text) {
        var json = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '"' || each == '\\') {
                json.append('\\').append(each);
            } else if (each < FIRST_PRINTED || Character.isSurrogate(each)) {
                json.append(String.format("\\u%04x", (int) each));
            } else {
                json.append(each);
            }
        }
        return json.append('"').toString();
    }

    static String object(Map<String, Integer> numbers) {
        var json = new StringJoiner(", ", "{", "}");
        numbers.forEach((text, number) -> json.add(quoted(text) + ": " + number));
        return json.toString();
    }

    static String list(List<String> texts) {
        var json = new StringJoiner(", ", "[", "]");
        texts.forEach(text -> json.add(quoted(text)));
        return json.toString();
    }

    /** Returns the tokenizer of a description; a failure names the node. */
    static Tokenizer read(Node node, String json) {
        try {
            return Tokenizer.of(json.getBytes(StandardCharsets.UTF_8));
        } catch (EngineException e) {
            throw EngineException.invalidGraph(node.describe() + ": its vocabulary is refused: " + e.getMessage());
        }
    }
}
