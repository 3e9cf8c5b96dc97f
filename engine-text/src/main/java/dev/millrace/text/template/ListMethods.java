package dev.millrace.text.template;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The methods of lists and tuples. */
final class ListMethods {
    static final Builtin.Table TABLE =
            new Builtin.Table().add("index", "value", ListMethods::index).add("count", "value", ListMethods::count);

    private ListMethods() {}

    private static Object index(@Nullable Object list, Arguments arguments, Steps steps) {
        List<? extends @Nullable Object> elements = Sequences.elements(list, steps);
        for (int i = 0; i < elements.size(); i++) {
            if (ValueComparisons.equal(elements.get(i), arguments.get("value"), steps)) {
                return (long) i;
            }
        }
        throw new Failure("the list has no such element");
    }

    private static Object count(@Nullable Object list, Arguments arguments, Steps steps) {
        long count = 0;
        for (Object element : Sequences.elements(list, steps)) {
            count += ValueComparisons.equal(element, arguments.get("value"), steps) ? 1 : 0;
        }
        return count;
    }
}
