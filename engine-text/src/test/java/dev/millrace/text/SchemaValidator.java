package dev.millrace.text;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Checks JSON values, as {@link JsonText} reads them, against schemas, keyword by keyword. */
final class SchemaValidator {
    private final Object root;

    SchemaValidator(Object root) {
        this.root = root;
    }

    boolean isValid(@Nullable Object value) {
        return isValid(root, value);
    }

    private boolean isValid(@Nullable Object schema, @Nullable Object value) {
        if (schema instanceof Boolean all) {
            return all;
        }
        Map<?, ?> keywords = (Map<?, ?>) Objects.requireNonNull(schema);
        return keywords.entrySet().stream()
                .allMatch(each -> holds((String) each.getKey(), each.getValue(), keywords, value));
    }

    private boolean holds(String keyword, @Nullable Object rule, Map<?, ?> schema, @Nullable Object value) {
        return switch (keyword) {
            case "type" ->
                (rule instanceof List<?> all ? all : List.of(Objects.requireNonNull(rule)))
                        .stream().anyMatch(name -> isOf((String) name, value));
            case "enum" -> list(rule).stream().anyMatch(each -> isEqual(each, value));
            case "const" -> isEqual(rule, value);
            case "allOf" -> list(rule).stream().allMatch(each -> isValid(each, value));
            case "anyOf", "oneOf" -> list(rule).stream().anyMatch(each -> isValid(each, value));
            case "$ref" -> isValid(referred((String) Objects.requireNonNull(rule)), value);
            default ->
                switch (value) {
                    case Map<?, ?> map -> holdsForObject(keyword, rule, schema, map);
                    case List<?> list -> holdsForArray(keyword, rule, schema, list);
                    case String string -> holdsForString(keyword, rule, string);
                    case BigDecimal number -> holdsForNumber(keyword, rule, number);
                    case null, default -> true;
                };
        };
    }

    private static List<?> list(@Nullable Object rule) {
        return (List<?>) Objects.requireNonNull(rule);
    }

    private @Nullable Object referred(String reference) {
        Object at = root;
        for (String step : reference.substring(1).split("/")) {
            at = step.isEmpty() ? at : ((Map<?, ?>) Objects.requireNonNull(at)).get(step);
        }
        return at;
    }

    private static boolean isOf(String type, @Nullable Object value) {
        return switch (type) {
            case "null" -> value == null;
            case "boolean" -> value instanceof Boolean;
            case "object" -> value instanceof Map;
            case "array" -> value instanceof List;
            case "string" -> value instanceof String;
            case "number" -> value instanceof BigDecimal;
            default ->
                value instanceof BigDecimal number
                        && number.stripTrailingZeros().scale() <= 0;
        };
    }

    private static boolean isEqual(@Nullable Object one, @Nullable Object other) {
        return Objects.equals(plain(one), plain(other));
    }

    /** Returns the value with numbers that are equal if their values are. */
    private static @Nullable Object plain(@Nullable Object value) {
        return switch (value) {
            case BigDecimal number -> number.stripTrailingZeros();
            case Integer number -> new BigDecimal(number).stripTrailingZeros();
            case List<?> list -> {
                var all = new ArrayList<@Nullable Object>();
                list.forEach(each -> all.add(plain(each)));
                yield all;
            }
            case Map<?, ?> map -> {
                var all = new HashMap<Object, @Nullable Object>();
                map.forEach((name, each) -> all.put(name, plain(each)));
                yield all;
            }
            case null, default -> value;
        };
    }

    private boolean holdsForObject(String keyword, @Nullable Object rule, Map<?, ?> schema, Map<?, ?> value) {
        return switch (keyword) {
            case "required" -> list(rule).stream().allMatch(value::containsKey);
            case "properties" ->
                ((Map<?, ?>) Objects.requireNonNull(rule))
                        .entrySet().stream()
                                .allMatch(each -> !value.containsKey(each.getKey())
                                        || isValid(each.getValue(), value.get(each.getKey())));
            case "additionalProperties" -> {
                Map<?, ?> known = schema.get("properties") instanceof Map<?, ?> map ? map : Map.of();
                yield value.entrySet().stream()
                        .allMatch(each -> known.containsKey(each.getKey()) || isValid(rule, each.getValue()));
            }
            default -> true;
        };
    }

    private boolean holdsForArray(String keyword, @Nullable Object rule, Map<?, ?> schema, List<?> value) {
        int prefix = schema.get("prefixItems") instanceof List<?> list ? list.size() : 0;
        return switch (keyword) {
            case "minItems" -> value.size() >= decimal(rule).intValue();
            case "maxItems" -> value.size() <= decimal(rule).intValue();
            case "prefixItems" -> {
                boolean all = true;
                for (int i = 0; i < Math.min(prefix, value.size()); i++) {
                    all &= isValid(list(rule).get(i), value.get(i));
                }
                yield all;
            }
            case "items" -> value.stream().skip(prefix).allMatch(each -> isValid(rule, each));
            default -> true;
        };
    }

    private static BigDecimal decimal(@Nullable Object rule) {
        return new BigDecimal(String.valueOf(rule));
    }

    private static boolean holdsForString(String keyword, @Nullable Object rule, String value) {
        int length = value.codePointCount(0, value.length());
        return switch (keyword) {
            case "minLength" -> length >= decimal(rule).intValue();
            case "maxLength" -> length <= decimal(rule).intValue();
            case "pattern" ->
                Pattern.compile(String.valueOf(rule)).matcher(value).find();
            case "format" -> isFormatted(String.valueOf(rule), value);
            default -> true;
        };
    }

    private static boolean isFormatted(String format, String value) {
        try {
            return switch (format) {
                case "date" -> LocalDate.parse(value).toString().equals(value);
                case "time" -> OffsetTime.parse(value).getNano() >= 0;
                case "date-time" -> OffsetDateTime.parse(value).getNano() >= 0;
                case "uuid" -> value.matches("(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
                case "email" -> value.matches("[^@\\s]{1,64}@[A-Za-z0-9.-]{3,255}") && !value.contains("..");
                case "ipv4" ->
                    value.matches("(\\d{1,3}\\.){3}\\d{1,3}")
                            && List.of(value.split("\\.")).stream().allMatch(each -> Integer.parseInt(each) < 256);
                default -> true;
            };
        } catch (DateTimeException e) {
            return false;
        }
    }

    private static boolean holdsForNumber(String keyword, @Nullable Object rule, BigDecimal value) {
        return switch (keyword) {
            case "minimum" -> value.compareTo(decimal(rule)) >= 0;
            case "maximum" -> value.compareTo(decimal(rule)) <= 0;
            case "exclusiveMinimum" -> value.compareTo(decimal(rule)) > 0;
            case "exclusiveMaximum" -> value.compareTo(decimal(rule)) < 0;
            default -> true;
        };
    }
}
