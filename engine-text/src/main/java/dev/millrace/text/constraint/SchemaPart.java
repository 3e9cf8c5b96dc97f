package dev.millrace.text.constraint;

import dev.millrace.text.json.Json;

/**
 * A part of the schemas that a value has to fulfil together.
 *
 * @param json a schema, or a list of schemas of which one is to be fulfilled
 */
record SchemaPart(Kind kind, Json json) {
    enum Kind {
        WHOLE,
        /** The schema without what its references, {@code allOf}, {@code anyOf} and {@code oneOf} add. */
        OWN,
        CHOICE
    }

    static SchemaPart whole(Json schema) {
        return new SchemaPart(Kind.WHOLE, schema);
    }

    /** Returns a text that is equal for equal parts. */
    String key() {
        return kind + " " + json.place();
    }
}
