package dev.millrace.text.normalizer;

import dev.millrace.graph.EngineException;
import dev.millrace.text.json.Json;
import dev.millrace.text.pattern.Literal;
import dev.millrace.text.pattern.Regex;
import dev.millrace.text.pattern.Search;
import java.util.regex.PatternSyntaxException;

/** Patterns of a {@code tokenizer.json}: a text, or a regular expression whose classes are those of Unicode. */
public final class Patterns {
    private Patterns() {}

    public static Search of(Json description) {
        Json text = description.get("String");
        if (description.isText() || !text.isNull()) {
            return new Literal(description.isText() ? description.text() : text.text());
        }
        try {
            return Regex.of(description.get("Regex").text());
        } catch (PatternSyntaxException e) {
            throw description.refused("this regular expression is none of Java's: " + e.getMessage());
        } catch (StackOverflowError e) {
            throw description.refused("this regular expression has too many parts");
        } catch (EngineException e) {
            throw description.located(e);
        }
    }
}
