package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The filters that look at lists, or make them. */
final class ListFilters {
    static final Builtin.Table TABLE = new Builtin.Table()
            .add("length", "", (value, _, _) -> Sequences.length(value))
            .alias("count", "length")
            .add("default", "default_value boolean", (value, a, _) -> otherwise(value, a))
            .alias("d", "default")
            .add("list", "", (value, _, steps) -> Sequences.copy(value, steps))
            .add("reverse", "", (value, _, steps) -> Sequences.reversed(value, steps))
            .add("first", "", (value, _, steps) -> end(Sequences.elements(value, steps), true))
            .add("last", "", (value, _, steps) -> end(Sequences.elements(value, steps), false))
            .add("items", "", (value, _, steps) -> items(value, steps))
            .add("sum", "attribute start", ListFilters::sum)
            .add("batch", "linecount fill_with", ListFilters::batch)
            .add("slice", "slices fill_with", ListFilters::slice);

    private static final long WIDEST = 100_000;

    private ListFilters() {}

    private static @Nullable Object otherwise(@Nullable Object value, Arguments arguments) {
        boolean missing = value instanceof Undefined || arguments.flag("boolean", false) && !Values.isTrue(value);
        return missing ? arguments.get("default_value", "") : value;
    }

    private static @Nullable Object end(List<? extends @Nullable Object> elements, boolean first) {
        if (elements.isEmpty()) {
            return new Undefined("an empty list has no first and no last element");
        }
        return first ? elements.getFirst() : elements.getLast();
    }

    private static Object items(@Nullable Object value, Steps steps) {
        return switch (value) {
            case Undefined _ -> List.of();
            case Map<?, ?> map -> DictMethods.items(map, steps);
            case null, default -> throw new Failure("'items' needs a dict, and gets " + Values.kind(value));
        };
    }

    private static @Nullable Object sum(@Nullable Object value, Arguments arguments, Steps steps) {
        Object sum = arguments.get("start", 0L);
        Object attribute = arguments.get("attribute", null);
        for (Object element : Sequences.elements(value, steps)) {
            steps.spend(1);
            sum = Operators.apply("+", sum, attribute == null ? element : Access.path(element, attribute), steps);
        }
        return sum;
    }

    private static int width(Arguments arguments, String name) {
        long width = arguments.integer(name);
        if (width < 1 || width > WIDEST) {
            throw new Failure("the argument '" + name + "' is " + width + "; it is from 1 to " + WIDEST);
        }
        return (int) width;
    }

    private static Object batch(@Nullable Object value, Arguments arguments, Steps steps) {
        int width = width(arguments, "linecount");
        List<@Nullable Object> elements = Sequences.copy(value, steps);
        var batches = new ArrayList<@Nullable Object>();
        for (int from = 0; from < elements.size(); from += width) {
            steps.spend(1);
            batches.add(new ArrayList<>(elements.subList(from, Math.min(elements.size(), from + width))));
        }
        Object fill = arguments.get("fill_with", null);
        if (fill != null && !batches.isEmpty()) {
            steps.elements(width);
            int from = elements.size() - (elements.size() - 1) % width - 1;
            batches.set(batches.size() - 1, filled(elements.subList(from, elements.size()), width, fill));
        }
        return batches;
    }

    private static List<@Nullable Object> filled(List<@Nullable Object> part, int width, @Nullable Object fill) {
        var filled = new ArrayList<@Nullable Object>(part);
        while (filled.size() < width) {
            filled.add(fill);
        }
        return filled;
    }

    private static Object slice(@Nullable Object value, Arguments arguments, Steps steps) {
        int count = width(arguments, "slices");
        List<@Nullable Object> elements = Sequences.copy(value, steps);
        int shortest = elements.size() / count;
        int longer = elements.size() % count;
        Object fill = arguments.get("fill_with", null);
        steps.elements(4L * count);
        var slices = new ArrayList<@Nullable Object>();
        int from = 0;
        for (int i = 0; i < count; i++) {
            int to = from + shortest + (i < longer ? 1 : 0);
            List<@Nullable Object> part = elements.subList(from, to);
            boolean fills = fill != null && i >= longer;
            slices.add(fills ? filled(part, shortest + 1, fill) : new ArrayList<>(part));
            from = to;
        }
        return slices;
    }
}
