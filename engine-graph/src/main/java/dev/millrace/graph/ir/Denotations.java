package dev.millrace.graph.ir;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * ONNX's denotations of a type and its extents: names for their meaning, such as an image and its channels. They do not
 * affect computation and are kept so that the model can be written again.
 *
 * @param type the denotation of the type; empty where the file has none
 * @param dims the denotation of each extent, the empty text where it has none; empty where no extent has one
 * @param inner the denotations of the inner type: a sequence's or an optional's elements, or a map's values
 */
public record Denotations(
        String type, List<String> dims, @Nullable Denotations inner) {
    /** No denotations. */
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

    /** The denotations of the inner type. */
    public Denotations ofInner() {
        return inner == null ? NONE : inner;
    }

    /**
     * Returns the denotation of extent {@code index} of a type of {@code rank} extents, or the empty text if the ranks
     * differ.
     */
    public String dim(int index, int rank) {
        return dims.size() == rank ? dims.get(index) : "";
    }
}
