package dev.millrace.text.constraint;

import dev.millrace.text.json.Json;
import java.util.EnumSet;
import java.util.Set;

/** The types of JSON values. A whole number is both an integer and a number. */
enum JsonType {
    NULL,
    BOOLEAN,
    OBJECT,
    ARRAY,
    NUMBER,
    INTEGER,
    STRING;

    /** Returns the types that a schema names. */
    static Set<JsonType> of(Json name) {
        if (name.isList()) {
            Set<JsonType> all = EnumSet.noneOf(JsonType.class);
            name.elements().forEach(each -> all.addAll(of(each)));
            return all;
        }
        return switch (name.text()) {
            case "null" -> EnumSet.of(NULL);
            case "boolean" -> EnumSet.of(BOOLEAN);
            case "object" -> EnumSet.of(OBJECT);
            case "array" -> EnumSet.of(ARRAY);
            case "number" -> EnumSet.of(NUMBER, INTEGER);
            case "integer" -> EnumSet.of(INTEGER);
            case "string" -> EnumSet.of(STRING);
            default -> throw name.refused("there is no type '" + name.text() + "'");
        };
    }

    static JsonType ofValue(Json value) {
        if (value.isText()) {
            return STRING;
        }
        if (value.isFlag()) {
            return BOOLEAN;
        }
        if (value.isNumber()) {
            return value.number() == Math.rint(value.number()) ? INTEGER : NUMBER;
        }
        return value.isObject() ? OBJECT : value.isList() ? ARRAY : NULL;
    }
}
