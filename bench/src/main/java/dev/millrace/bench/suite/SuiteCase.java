package dev.millrace.bench.suite;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A model at one size.
 *
 * @param shapes of inputs whose extents are free
 * @param exact the same model before it was quantised, with which both sides' answers are compared; null where they are
 *     compared with each other
 */
record SuiteCase(
        Group group,
        String name,
        SuiteModel model,
        Map<String, long[]> shapes,
        @Nullable SuiteModel exact) {

    /** Whether any of the comma-separated parts stands in the group and name; an empty filter matches all. */
    boolean matches(String filter) {
        String text = (group.label() + " " + name).toLowerCase(Locale.ROOT);
        return Arrays.stream(filter.split(",", -1))
                .map(part -> part.strip().toLowerCase(Locale.ROOT))
                .anyMatch(text::contains);
    }
}
