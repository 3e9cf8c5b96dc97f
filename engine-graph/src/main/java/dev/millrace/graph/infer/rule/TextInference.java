package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Strings: how many come out depends on what they are. */
final class TextInference {
    private TextInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case OpName.STRING_NORMALIZER -> normalize(c);
            case "StringSplit" -> split(c);
            default -> count(c);
        }
    }

    private static void normalize(InferenceContext c) {
        List<Dim> dims = c.dims(0, 1, 2);
        if (dims != null && dims.size() == 2) {
            c.expect(0, 0, Dims.ONE);
        }
        c.set(
                0,
                ElementType.STRING,
                dims == null ? null : dims.size() == 1 ? Dims.unknown(1) : List.of(Dims.ONE, Dim.UNKNOWN));
    }

    private static void split(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        var parts = dims == null ? null : new ArrayList<>(dims);
        if (parts != null) {
            parts.add(Dim.UNKNOWN);
        }
        c.set(0, ElementType.STRING, parts);
        c.set(1, ElementType.INT64, dims);
    }

    /** TfIdfVectorizer: one column for each number that an n-gram has. */
    private static void count(InferenceContext c) {
        List<Dim> dims = c.dims(0, 1, 2);
        long[] indexes = c.attributes().integers("ngram_indexes");
        if (indexes == null || indexes.length == 0) {
            throw c.refuse("attribute 'ngram_indexes' is missing or empty");
        }
        if (Arrays.stream(indexes).min().orElse(0) < 0) {
            throw c.refuse("attribute 'ngram_indexes' has a negative column in " + Arrays.toString(indexes));
        }
        Dim columns = Dims.add(Dim.of(Arrays.stream(indexes).max().orElse(-1)), 1);
        c.set(
                0,
                ElementType.FLOAT,
                dims == null ? null : dims.size() == 1 ? List.of(columns) : List.of(dims.getFirst(), columns));
    }
}
