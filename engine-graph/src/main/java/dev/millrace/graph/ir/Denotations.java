package dev.millrace.graph.ir;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a file says that a type and its extents stand for, such as an image and its channels. Nothing is computed by it; it is
 * there to be written again.
 *
 * @param type what values of the type are; empty where nothing is said
 * @param dims what each extent counts, the empty text where nothing is said of it; empty where nothing is said of any
 * @param inner what is said of the type inside, of a sequence's elements, an optional's or a map's values
 */
public record Denotations(
        String type, List<String> dims, @Nullable Denotations inner) {
    /** Nothing is said. */
    public static final Denotations NONE = new Denotations("", List.of(), null);

    public Denotations {
        dims = isSilent(dims) ? List.of() : List.copyOf(dims);
    }

    private static boolean isSilent(List<String> dims) {
        for (String dim : dims) {
            if (!dim.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    public static Denotations of(String type, List<String> dims, Denotations inner) {
        var all = new Denotations(type, dims, inner.isEmpty() ? null : inner);
        return all.isEmpty() ? NONE : all;
    }

    public boolean isEmpty() {
        return type.isEmpty() && dims.isEmpty() && inner == null;
    }

    /** What is said of the type inside. */
    public Denotations ofInner() {
        return inner == null ? NONE : inner;
    }

    /** What is said of one of as many extents as {@code rank}: nothing, where it was said of a type of another rank. */
    public String dim(int index, int rank) {
        return dims.size() == rank ? dims.get(index) : "";
    }
}
