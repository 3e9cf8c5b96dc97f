package dev.millrace.session.modelpackage;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.json.JsonFormatException;
import dev.millrace.session.json.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An object of a manifest, and where it stands there.
 *
 * @param place for messages, such as {@code manifest.json: component 'encoder'}
 */
record Members(String place, Map<?, ?> all) {
    /** Nesting and values that no manifest has. */
    private static final JsonReader.Limits LIMITS = new JsonReader.Limits(32, 1 << 20, true);

    /** The object that a file holds. */
    static Members read(Path file) {
        try {
            return of(file.toString(), JsonReader.read(Files.readAllBytes(file), LIMITS));
        } catch (JsonFormatException e) {
            throw EngineException.invalidArgument(file + ": it is no JSON: " + e.getMessage());
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, file + " cannot be read: " + e, e);
        }
    }

    static Members of(String place, @Nullable Object value) {
        if (value instanceof Map<?, ?> members) {
            return new Members(place, members);
        }
        throw EngineException.invalidArgument(place + " is to be an object");
    }

    boolean has(String name) {
        return all.get(name) != null;
    }

    Members object(String name) {
        return of(place + ", '" + name + "'", all.get(name));
    }

    List<?> array(String name) {
        if (all.get(name) instanceof List<?> items) {
            return items;
        }
        throw EngineException.invalidArgument(place + ": '" + name + "' is to be an array");
    }

    /** A text that is there, and not empty. */
    String text(String name) {
        if (all.get(name) instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw EngineException.invalidArgument(place + ": '" + name + "' is to be a text, and not an empty one");
    }

    /** A text that may be empty, and is where there is none. */
    String optional(String name) {
        Object value = all.get(name);
        return value instanceof String text ? text : value == null ? "" : text(name);
    }

    /** Texts by their names; none where there is no such member. */
    Map<String, String> texts(String name) {
        var texts = new LinkedHashMap<String, String>();
        if (has(name)) {
            object(name).all.forEach((key, value) -> {
                if (!(value instanceof String text)) {
                    throw EngineException.invalidArgument(place + ": '" + key + "' of '" + name + "' is to be a text");
                }
                texts.put((String) key, text);
            });
        }
        return texts;
    }
}
