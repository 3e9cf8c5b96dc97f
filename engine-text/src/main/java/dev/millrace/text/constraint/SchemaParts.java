package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import dev.millrace.text.json.Json;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Splits schemas that hold together into those with keywords of their own, and choices. References are followed. */
final class SchemaParts {
    private static final int DEEPEST = 200;
    private static final int MOST_PARTS = 200;
    private static final Set<String> APPLIED = Set.of(
            "type",
            "enum",
            "const",
            "$ref",
            "allOf",
            "anyOf",
            "oneOf",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "minLength",
            "maxLength",
            "pattern",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum");
    private static final Set<String> NOTES = Set.of(
            "title",
            "description",
            "default",
            "example",
            "examples",
            "deprecated",
            "readOnly",
            "writeOnly",
            "$comment",
            "$schema",
            "$id",
            "$defs",
            "definitions",
            "contentMediaType",
            "contentEncoding");

    private final Json root;
    private final List<SchemaPart> own = new ArrayList<>();
    private final List<SchemaPart> choices = new ArrayList<>();
    private final Set<String> done = new LinkedHashSet<>();
    private boolean isNever;

    SchemaParts(Json root, List<SchemaPart> parts) {
        this.root = root;
        for (SchemaPart part : parts) {
            switch (part.kind()) {
                case OWN -> add(own, part);
                case CHOICE -> add(choices, part);
                case WHOLE -> whole(part.json(), new LinkedHashSet<>());
            }
        }
    }

    private void add(List<SchemaPart> to, SchemaPart part) {
        if (done.size() >= MOST_PARTS) {
            throw part.json().refused("more than " + MOST_PARTS + " schemas hold together");
        }
        if (done.add(part.key())) {
            to.add(part);
        }
    }

    /** The schemas with their own keywords, which hold together. */
    List<SchemaPart> own() {
        return own;
    }

    /** The choices, from each of which one schema holds. */
    List<SchemaPart> choices() {
        return choices;
    }

    /** Whether no value fulfils them. */
    boolean isNever() {
        return isNever;
    }

    private void whole(Json schema, Set<String> around) {
        if (schema.isFlag()) {
            isNever |= !schema.flag(true);
            return;
        }
        if (!schema.isObject()) {
            throw schema.refused("a schema is an object, true or false");
        }
        String place = schema.place();
        if (around.size() >= DEEPEST) {
            throw schema.refused("references and allOf nest more than " + DEEPEST + " deep");
        }
        if (!around.add(place)) {
            throw schema.refused("the schema refers to itself and nothing else");
        }
        add(own, new SchemaPart(SchemaPart.Kind.OWN, schema));
        for (Map.Entry<String, Json> keyword : schema.properties().entrySet()) {
            Json value = keyword.getValue();
            switch (keyword.getKey()) {
                case "$ref" -> whole(referred(value), around);
                case "allOf" -> nonEmpty(value).forEach(each -> whole(each, around));
                case "anyOf", "oneOf" -> {
                    nonEmpty(value);
                    add(choices, new SchemaPart(SchemaPart.Kind.CHOICE, value));
                }
                default -> requireKnown(keyword.getKey(), value);
            }
        }
        around.remove(place);
    }

    private static List<Json> nonEmpty(Json list) {
        if (!list.isList() || list.elements().isEmpty()) {
            throw list.refused("a list of schemas belongs here");
        }
        return list.elements();
    }

    private static void requireKnown(String keyword, Json value) {
        boolean isOff = keyword.equals("uniqueItems") && value.isFlag() && !value.flag(false);
        if (!APPLIED.contains(keyword) && !NOTES.contains(keyword) && !keyword.startsWith("x-") && !isOff) {
            throw value.refused("constrained output does not support this keyword");
        }
    }

    private Json referred(Json reference) {
        String text = reference.text();
        if (!text.isEmpty() && text.charAt(0) != '#' || text.length() > 1 && text.charAt(1) != '/') {
            throw reference.refused("only references within the schema, such as #/$defs/name, are supported");
        }
        Json at = root;
        for (String step : steps(reference, text)) {
            at = at.isList()
                            && step.matches("\\d{1,9}")
                            && Integer.parseInt(step) < at.elements().size()
                    ? at.elements().get(Integer.parseInt(step))
                    : at.get(step);
        }
        if (at.isNull()) {
            throw reference.refused("the schema has no '" + text + "'");
        }
        return at;
    }

    private static List<String> steps(Json reference, String text) {
        if (text.length() < 2) {
            return List.of();
        }
        try {
            String decoded = URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
            List<String> steps = new ArrayList<>();
            for (String step : decoded.substring(2).split("/", -1)) {
                steps.add(step.replace("~1", "/").replace("~0", "~"));
            }
            return steps;
        } catch (IllegalArgumentException e) {
            throw refused(reference, e);
        }
    }

    private static EngineException refused(Json reference, IllegalArgumentException e) {
        return reference.refused("the reference cannot be read: " + e.getMessage());
    }
}
