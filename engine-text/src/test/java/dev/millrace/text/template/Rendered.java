package dev.millrace.text.template;

import dev.millrace.text.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Renders templates of tests. */
public final class Rendered {
    public static final Clock CLOCK = Clock.fixed(Instant.parse("2024-07-09T08:05:03Z"), ZoneOffset.UTC);

    private Rendered() {}

    static String of(String template, Map<String, ? extends @Nullable Object> variables) {
        return Template.parse(template).render(variables, new Rendering(1_000_000, CLOCK, () -> {}));
    }

    static String of(String template) {
        return of(template, Map.of());
    }

    static Json json(String text) {
        return Json.parse(text.getBytes(StandardCharsets.UTF_8), "json");
    }

    /** The values of a JSON tree, whole numbers as integers. */
    static @Nullable Object values(Json json) {
        if (json.isNull()) {
            return null;
        }
        if (json.isText()) {
            return json.text();
        }
        if (json.isObject()) {
            var map = new LinkedHashMap<String, @Nullable Object>();
            json.properties().forEach((name, value) -> map.put(name, values(value)));
            return map;
        }
        if (json.isList()) {
            var list = new ArrayList<@Nullable Object>();
            json.elements().forEach(value -> list.add(values(value)));
            return list;
        }
        return json.isNumber() ? number(json.number()) : json.flag(false);
    }

    private static Object number(double number) {
        return number == (long) number ? (Object) (long) number : (Object) number;
    }

    public static Map<String, @Nullable Object> map(String text) {
        var map = new LinkedHashMap<String, @Nullable Object>();
        json(text).properties().forEach((name, value) -> map.put(name, values(value)));
        return map;
    }
}
