package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The filters that order elements, or compare them. */
final class SortFilters {
    static final Builtin.Table TABLE = new Builtin.Table()
            .add("sort", "reverse case_sensitive attribute", SortFilters::sort)
            .add("dictsort", "case_sensitive by reverse", SortFilters::dictSort)
            .add("unique", "case_sensitive attribute", SortFilters::unique)
            .add("min", "case_sensitive attribute", (value, a, steps) -> extreme(value, a, steps, -1))
            .add("max", "case_sensitive attribute", (value, a, steps) -> extreme(value, a, steps, 1))
            .add("groupby", "attribute default case_sensitive", SortFilters::groups);

    private static final List<String> GROUP = List.of("grouper", "list");

    private SortFilters() {}

    /** The key by which an element is compared: attributes of it, without case unless the arguments say otherwise. */
    private interface Key {
        @Nullable
        Object of(@Nullable Object element);
    }

    private static Key key(Arguments arguments) {
        boolean exact = arguments.flag("case_sensitive", false);
        Object attribute = arguments.get("attribute", null);
        if (attribute == null) {
            return element -> cased(element, exact);
        }
        if (attribute instanceof String names && names.contains(",")) {
            List<String> all = List.of(names.split(","));
            return element -> {
                var values = new ArrayList<@Nullable Object>();
                all.forEach(name -> values.add(cased(Access.path(element, name.strip()), exact)));
                return values;
            };
        }
        return element -> cased(Access.path(element, attribute), exact);
    }

    private static @Nullable Object cased(@Nullable Object value, boolean exact) {
        return value instanceof String text && !exact ? Strings.lower(text) : value;
    }

    private record Keyed(@Nullable Object key, @Nullable Object element) {}

    private static List<Keyed> keyed(@Nullable Object value, Key key, Steps steps) {
        var all = new ArrayList<Keyed>();
        for (Object element : Sequences.elements(value, steps)) {
            steps.spend(1);
            all.add(new Keyed(key.of(element), element));
        }
        return all;
    }

    private static List<Keyed> sorted(List<Keyed> all, boolean reverse, Steps steps) {
        Comparator<Keyed> order = (a, b) -> {
            steps.spend(1);
            return ValueComparisons.compare(a.key(), b.key(), steps);
        };
        all.sort(reverse ? order.reversed() : order);
        return all;
    }

    private static List<@Nullable Object> elements(List<Keyed> all) {
        var elements = new ArrayList<@Nullable Object>();
        all.forEach(each -> elements.add(each.element()));
        return elements;
    }

    private static Object sort(@Nullable Object value, Arguments arguments, Steps steps) {
        return elements(sorted(keyed(value, key(arguments), steps), arguments.flag("reverse", false), steps));
    }

    private static Object dictSort(@Nullable Object value, Arguments arguments, Steps steps) {
        if (!(value instanceof Map<?, ?> map)) {
            throw new Failure("'dictsort' needs a dict, and gets " + Values.kind(value));
        }
        String by = arguments.text("by", "key");
        if (!by.equals("key") && !by.equals("value")) {
            throw new Failure("'dictsort' sorts by key or value, and not by '" + by + "'");
        }
        boolean exact = arguments.flag("case_sensitive", false);
        long part = by.equals("key") ? 0 : 1;
        Key key = item -> cased(Access.item(item, part), exact);
        List<Keyed> items = keyed(DictMethods.items(map, steps), key, steps);
        return elements(sorted(items, arguments.flag("reverse", false), steps));
    }

    private static Object unique(@Nullable Object value, Arguments arguments, Steps steps) {
        var seen = new HashSet<@Nullable Object>();
        var unique = new ArrayList<@Nullable Object>();
        for (Keyed each : keyed(value, key(arguments), steps)) {
            Object key = each.key() instanceof Undefined ? Undefined.class : Values.key(each.key());
            Number number = TemplateNumbers.exact(key);
            if (seen.add(number == null ? key : (Object) number.doubleValue())) {
                unique.add(each.element());
            }
        }
        return unique;
    }

    private static @Nullable Object extreme(@Nullable Object value, Arguments arguments, Steps steps, int sign) {
        List<Keyed> all = keyed(value, key(arguments), steps);
        if (all.isEmpty()) {
            return new Undefined("an empty list has no smallest and no largest element");
        }
        Keyed best = all.getFirst();
        for (Keyed each : all) {
            best = sign * ValueComparisons.compare(each.key(), best.key(), steps) > 0 ? each : best;
        }
        return best.element();
    }

    private static Object groups(@Nullable Object value, Arguments arguments, Steps steps) {
        Object attribute = arguments.get("attribute");
        boolean exact = arguments.flag("case_sensitive", false);
        Key plain = element -> Access.path(element, attribute, arguments.get("default", null));
        List<Keyed> all = sorted(keyed(value, element -> cased(plain.of(element), exact), steps), false, steps);
        var groups = new ArrayList<@Nullable Object>();
        int from = 0;
        for (int i = 1; i <= all.size(); i++) {
            if (i == all.size()
                    || !ValueComparisons.equal(all.get(i).key(), all.get(from).key(), steps)) {
                List<@Nullable Object> members = elements(all.subList(from, i));
                groups.add(new Tuple(GROUP, List.of(plain.of(members.getFirst()), members)));
                from = i;
            }
        }
        return groups;
    }
}
