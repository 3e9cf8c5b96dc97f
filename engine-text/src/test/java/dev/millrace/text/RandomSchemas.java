package dev.millrace.text;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** JSON schemas by chance, as {@link JsonText} writes them. */
final class RandomSchemas {
    private static final List<String> NAMES = List.of("a", "ab", "name", "größe", "x\"y", "水", "");
    private static final List<String> PATTERNS =
            List.of("^[a-z]{2,5}$", "^(?:yes|no)$", "\\d", "^\\w+ \\S*$", "^[^\"]?$", "^\\\\[\\s]$|^ok$", "^[à-ü]+");
    private static final List<String> FORMATS =
            List.of("date", "time", "date-time", "uuid", "email", "ipv4", "hostname");
    private static final List<String> TYPES =
            List.of("null", "boolean", "integer", "number", "string", "array", "object");

    private final SplittableRandom random;

    RandomSchemas(SplittableRandom random) {
        this.random = random;
    }

    Map<String, @Nullable Object> next() {
        var schema = new LinkedHashMap<String, @Nullable Object>(object(3));
        schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        schema.put(
                "$defs",
                map(
                        "tree",
                        map(
                                "type", "object",
                                "properties",
                                        map(
                                                "size", map("type", "integer"),
                                                "left",
                                                        map(
                                                                "anyOf",
                                                                List.of(
                                                                        map("$ref", "#/$defs/tree"),
                                                                        map("type", "null"))),
                                                "all", map("type", "array", "items", map("$ref", "#/$defs/tree"))),
                                "required", List.of("left"))));
        return schema;
    }

    /** Returns a map in the order of its entries, so that a seed makes one text. */
    private static Map<String, @Nullable Object> map(Object... entries) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }

    private boolean chance(int percent) {
        return random.nextInt(100) < percent;
    }

    private <T> T one(List<T> of) {
        return of.get(random.nextInt(of.size()));
    }

    private Object schema(int depth) {
        return switch (random.nextInt(depth > 0 ? 16 : 10)) {
            case 0 -> chance(70);
            case 1 -> values();
            case 2 -> map("const", known(2), "title", "a constant");
            case 3 -> map("type", List.of(one(TYPES), one(TYPES), "null"));
            case 4, 5 -> string();
            case 6, 7 -> number();
            case 8 -> map("$ref", "#/$defs/tree");
            case 9 -> map("type", one(TYPES), "description", "of any value");
            case 10 -> map(chance(50) ? "anyOf" : "oneOf", List.of(schema(depth - 1), schema(depth - 1)));
            case 11 -> all(depth - 1);
            case 12, 13 -> array(depth - 1);
            default -> object(depth - 1);
        };
    }

    private Map<String, @Nullable Object> values() {
        return chance(50)
                ? map("enum", List.of(known(2), known(2), known(1)))
                : map("enum", List.of(1, "one", known(1)), "type", List.of("string", "integer"));
    }

    private Object known(int depth) {
        return switch (random.nextInt(depth > 0 ? 6 : 4)) {
            case 0 -> random.nextInt(-1000, 1000);
            case 1 -> one(NAMES);
            case 2 -> chance(50);
            case 3 -> new BigDecimal("0.5");
            case 4 -> List.of(known(depth - 1), known(depth - 1));
            default -> map(one(NAMES), known(depth - 1));
        };
    }

    private Map<String, @Nullable Object> string() {
        var schema = new LinkedHashMap<String, @Nullable Object>();
        if (chance(70)) {
            schema.put("type", "string");
        }
        switch (random.nextInt(3)) {
            case 0 -> schema.put("pattern", one(PATTERNS));
            case 1 -> schema.put("format", one(FORMATS));
            default -> {
                int least = random.nextInt(5);
                schema.put("minLength", least);
                if (chance(70)) {
                    schema.put("maxLength", least + random.nextInt(5));
                }
            }
        }
        return schema;
    }

    private Map<String, @Nullable Object> number() {
        var schema = new LinkedHashMap<String, @Nullable Object>();
        schema.put("type", chance(50) ? "integer" : "number");
        BigDecimal low = new BigDecimal(random.nextInt(-2000, 2000)).movePointLeft(random.nextInt(4));
        BigDecimal high = low.add(new BigDecimal(random.nextInt(1, 5000)).movePointLeft(random.nextInt(3)));
        if (chance(80)) {
            schema.put(chance(50) ? "minimum" : "exclusiveMinimum", low);
        }
        if (chance(80)) {
            schema.put(chance(50) ? "maximum" : "exclusiveMaximum", high);
        }
        return schema;
    }

    private Map<String, @Nullable Object> array(int depth) {
        var schema = new LinkedHashMap<String, @Nullable Object>();
        schema.put("type", "array");
        if (chance(40)) {
            schema.put("prefixItems", List.of(schema(depth), schema(depth)));
        }
        if (chance(70)) {
            schema.put("items", schema(depth));
        }
        int least = random.nextInt(3);
        schema.put("minItems", least);
        if (chance(60)) {
            schema.put("maxItems", least + random.nextInt(3));
        }
        return schema;
    }

    private Map<String, @Nullable Object> object(int depth) {
        var schema = new LinkedHashMap<String, @Nullable Object>();
        if (chance(80)) {
            schema.put("type", "object");
        }
        var properties = new LinkedHashMap<String, Object>();
        var required = new ArrayList<String>();
        int count = random.nextInt(5);
        for (int i = 0; i < count; i++) {
            String name = one(NAMES);
            properties.put(name, schema(depth));
            if (chance(30)) {
                required.add(name);
            }
        }
        schema.put("properties", properties);
        schema.put("required", required);
        if (chance(40)) {
            schema.put("additionalProperties", chance(40) ? chance(50) : schema(depth));
        }
        return schema;
    }

    private Map<String, @Nullable Object> all(int depth) {
        Map<String, @Nullable Object> one = object(depth);
        Map<String, @Nullable Object> other = object(depth);
        other.remove("additionalProperties");
        return chance(50)
                ? map("allOf", List.of(one, other))
                : map("allOf", List.of(one, map("anyOf", List.of(other, object(depth)))));
    }
}
