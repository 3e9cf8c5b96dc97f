package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The methods of dicts. */
final class DictMethods {
    static final Builtin.Table TABLE = new Builtin.Table()
            .add("items", "", (value, _, steps) -> items((Map<?, ?>) value, steps))
            .add("keys", "", (value, _, steps) -> Sequences.copy(value, steps))
            .add("values", "", (value, _, steps) -> values((Map<?, ?>) value, steps))
            .add("get", "key default", (value, arguments, _) -> get((Map<?, ?>) value, arguments));

    private DictMethods() {}

    static List<@Nullable Object> items(@Nullable Map<?, ?> map, Steps steps) {
        var items = new ArrayList<@Nullable Object>();
        if (map != null) {
            steps.elements(map.size());
            map.forEach((key, value) -> items.add(Tuple.of(key, value)));
        }
        return items;
    }

    private static List<@Nullable Object> values(@Nullable Map<?, ?> map, Steps steps) {
        steps.elements(Sequences.length(map));
        return map == null ? List.of() : new ArrayList<@Nullable Object>(map.values());
    }

    private static @Nullable Object get(@Nullable Map<?, ?> map, Arguments arguments) {
        Object key = Values.key(arguments.get("key"));
        return map != null && map.containsKey(key) ? map.get(key) : arguments.get("default", null);
    }
}
