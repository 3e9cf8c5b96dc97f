package dev.millrace.text.constraint;

import dev.millrace.text.json.Json;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keywords of schemas that hold together: bounds are the narrower ones, types and values the common ones. */
final class SchemaFacts {
    final Json place;
    final Set<JsonType> types = EnumSet.allOf(JsonType.class);
    /** The properties and the additional properties of each schema that has any. */
    final List<Objects> objects = new ArrayList<>();

    final Set<String> required = new LinkedHashSet<>();
    final List<Arrays> arrays = new ArrayList<>();
    int minItems;
    int maxItems = -1;
    int minLength;
    int maxLength = -1;
    /** The pattern or the format of a string, as an expression that is found in it. */
    @Nullable
    String expression;

    NumberPiece.@Nullable Bounds bounds;
    /** The values that are possible, by their texts; null if they are not listed. */
    @Nullable
    Map<String, Json> values;

    private final Set<JsonType> implied = EnumSet.noneOf(JsonType.class);

    /** The properties of a schema. */
    record Objects(Map<String, Json> properties, @Nullable Json additional) {}

    /** The elements of a schema. */
    record Arrays(List<Json> prefix, @Nullable Json others) {}

    /** @param schemas schemas, one at least, of which only their own keywords are read */
    SchemaFacts(List<Json> schemas) {
        place = schemas.getFirst();
        boolean hasTypes = false;
        for (Json schema : schemas) {
            Map<String, Json> keywords = schema.properties();
            hasTypes |= keywords.containsKey("type");
            keywords.forEach(this::read);
            readObject(keywords);
            readArray(keywords);
        }
        requireOnlyValues();
        if (!hasTypes && !implied.isEmpty()) {
            types.retainAll(implied);
        }
    }

    private void read(String keyword, Json value) {
        switch (keyword) {
            case "type" -> types.retainAll(JsonType.of(value));
            case "required" -> {
                value.elements().forEach(name -> required.add(name.text()));
                implied.add(JsonType.OBJECT);
            }
            case "minItems" -> {
                minItems = Math.max(minItems, count(value));
                implied.add(JsonType.ARRAY);
            }
            case "maxItems" -> {
                maxItems = least(maxItems, count(value));
                implied.add(JsonType.ARRAY);
            }
            case "minLength" -> {
                minLength = Math.max(minLength, count(value));
                implied.add(JsonType.STRING);
            }
            case "maxLength" -> {
                maxLength = least(maxLength, count(value));
                implied.add(JsonType.STRING);
            }
            case "pattern" -> expression(value, value.text());
            case "format" -> {
                if (Formats.has(value.text())) {
                    expression(value, Formats.expression(value.text()));
                }
            }
            case "minimum" -> bound(value, false, true);
            case "exclusiveMinimum" -> bound(value, true, true);
            case "maximum" -> bound(value, false, false);
            case "exclusiveMaximum" -> bound(value, true, false);
            case "enum" -> values(value.elements());
            case "const" -> values(List.of(value));
            default -> {}
        }
    }

    private static int count(Json value) {
        value.number();
        return value.count(0);
    }

    private static int least(int known, int other) {
        return known < 0 ? other : Math.min(known, other);
    }

    private void expression(Json value, String text) {
        if (expression != null && !expression.equals(text)) {
            throw value.refused("two patterns or formats of one string are not supported");
        }
        expression = text;
        implied.add(JsonType.STRING);
    }

    private void bound(Json value, boolean isOut, boolean isLow) {
        BigDecimal number = BigDecimal.valueOf(value.finite());
        NumberPiece.Bounds none = NumberPiece.Bounds.NONE;
        NumberPiece.Bounds one = isLow
                ? new NumberPiece.Bounds(number, isOut, none.high().max(number), false)
                : new NumberPiece.Bounds(none.low().min(number), false, number, isOut);
        bounds = bounds == null ? one : bounds.and(one);
        implied.add(JsonType.NUMBER);
        implied.add(JsonType.INTEGER);
    }

    private void values(List<Json> listed) {
        Map<String, Json> known = values;
        Map<String, Json> common = new LinkedHashMap<>();
        for (Json each : listed) {
            String text = text(each);
            if (known == null || known.containsKey(text)) {
                common.put(text, each);
            }
        }
        values = common;
    }

    private static String text(Json value) {
        if (value.isText()) {
            return "\"" + value.text();
        }
        if (value.isList()) {
            return value.elements().stream().map(SchemaFacts::text).toList().toString();
        }
        if (value.isObject()) {
            var texts = new LinkedHashMap<String, String>();
            value.properties().forEach((name, inner) -> texts.put(name, text(inner)));
            return texts.toString();
        }
        return JsonPieces.text(value);
    }

    private void readObject(Map<String, Json> keywords) {
        Json properties = keywords.get("properties");
        Json additional = keywords.get("additionalProperties");
        if (properties != null || additional != null) {
            objects.add(new Objects(properties == null ? Map.of() : properties.properties(), additional));
            implied.add(JsonType.OBJECT);
        }
    }

    private void readArray(Map<String, Json> keywords) {
        Json prefix = keywords.get("prefixItems");
        Json others = keywords.get("items");
        if (others != null && others.isList()) {
            throw others.refused("the schemas of the first elements stand in prefixItems");
        }
        if (prefix != null || others != null) {
            arrays.add(new Arrays(prefix == null ? List.of() : prefix.elements(), others));
            implied.add(JsonType.ARRAY);
        }
    }

    private void requireOnlyValues() {
        if (values != null && !implied.isEmpty()) {
            throw place.refused("beside enum and const, only type is supported");
        }
    }

    boolean isEmpty() {
        return types.size() == JsonType.values().length && implied.isEmpty() && values == null;
    }
}
