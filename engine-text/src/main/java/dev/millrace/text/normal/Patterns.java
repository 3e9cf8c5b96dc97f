package dev.millrace.text.normal;

import dev.millrace.text.json.Json;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** Patterns of a {@code tokenizer.json}: a text, or a regular expression whose classes are those of Unicode. */
public final class Patterns {
    private Patterns() {}

    public static Pattern of(Json description) {
        Json text = description.get("String");
        if (description.isText() || !text.isNull()) {
            return Pattern.compile(Pattern.quote(description.isText() ? description.text() : text.text()));
        }
        try {
            return Pattern.compile(description.get("Regex").text(), Pattern.UNICODE_CHARACTER_CLASS);
        } catch (PatternSyntaxException e) {
            throw description.refused("this regular expression is none of Java's: " + e.getMessage());
        }
    }
}
