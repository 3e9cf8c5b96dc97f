package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The filters that apply a filter or a test to each element. */
final class SelectFilters {
    static final Builtin.Table TABLE = new Builtin.Table()
            .open("map", SelectFilters::map)
            .open("select", (value, a, steps) -> select(value, false, true, a, steps))
            .open("reject", (value, a, steps) -> select(value, false, false, a, steps))
            .open("selectattr", (value, a, steps) -> select(value, true, true, a, steps))
            .open("rejectattr", (value, a, steps) -> select(value, true, false, a, steps));

    private SelectFilters() {}

    private static Object map(@Nullable Object value, Arguments arguments, Steps steps) {
        List<@Nullable Object> elements = Sequences.copy(value, steps);
        if (arguments.has("attribute")) {
            Arguments named = arguments.bound("map", List.of("attribute", "default"));
            Object attribute = named.get("attribute");
            elements.replaceAll(element -> {
                steps.spend(1);
                return Access.path(element, attribute, named.get("default", null));
            });
            return elements;
        }
        Builtin filter = named(Filters.TABLE, "filter", arguments.positional());
        Arguments rest = arguments.from(1);
        elements.replaceAll(element -> {
            steps.spend(1);
            return filter.apply(element, rest, steps);
        });
        return elements;
    }

    private static Builtin named(Builtin.Table table, String kind, List<@Nullable Object> names) {
        if (names.isEmpty() || !(names.getFirst() instanceof String name)) {
            throw new Failure("the name of a " + kind + " is missing");
        }
        Builtin found = table.get(name);
        if (found == null) {
            throw new Failure("there is no " + kind + " '" + name + "'");
        }
        return found;
    }

    /** Returns the elements for which a test holds, or does not; without a test, those that are true. */
    private static Object select(
            @Nullable Object value, boolean byAttribute, boolean keeps, Arguments arguments, Steps steps) {
        if (byAttribute && arguments.positional().isEmpty()) {
            throw new Failure("the name of an attribute is missing");
        }
        Object attribute = byAttribute ? arguments.positional().getFirst() : null;
        Arguments rest = arguments.from(byAttribute ? 1 : 0);
        Builtin test = rest.positional().isEmpty() ? null : named(Tests.TABLE, "test", rest.positional());
        Arguments tested = rest.from(1);
        var selected = new ArrayList<@Nullable Object>();
        for (Object element : Sequences.elements(value, steps)) {
            steps.spend(1);
            Object subject = byAttribute ? Access.path(element, attribute) : element;
            if (Values.isTrue(test == null ? subject : test.apply(subject, tested, steps)) == keeps) {
                selected.add(element);
            }
        }
        return selected;
    }
}
