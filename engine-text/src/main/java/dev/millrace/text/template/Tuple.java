package dev.millrace.text.template;

import java.util.AbstractList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A tuple, whose elements may have names. */
final class Tuple extends AbstractList<@Nullable Object> {
    private final List<String> names;
    private final List<@Nullable Object> values;

    Tuple(List<String> names, List<@Nullable Object> values) {
        this.names = names;
        this.values = values;
    }

    static Tuple of(@Nullable Object... values) {
        return new Tuple(List.of(), Arrays.asList(values));
    }

    /** Returns the index of the element with a name, or -1. */
    int indexOf(String name) {
        return names.indexOf(name);
    }

    @Override
    public @Nullable Object get(int index) {
        return values.get(index);
    }

    @Override
    public int size() {
        return values.size();
    }
}
