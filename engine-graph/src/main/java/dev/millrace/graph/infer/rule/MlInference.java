package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.MapType;
import dev.millrace.graph.ir.ValueType.SequenceType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Classical models: the domain {@code ai.onnx.ml}. */
final class MlInference {
    private MlInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case "Binarizer", "Imputer" -> c.set(0, c.tensor(0));
            case "Normalizer", "Scaler" -> c.set(0, ElementType.FLOAT, c.dims(0));
            case "ArrayFeatureExtractor" -> extract(c);
            case "CastMap" -> castMap(c);
            case "CategoryMapper" -> c.set(0, c.element(0) == null ? null : exchanged(c.element(0)), c.dims(0));
            case "DictVectorizer" -> dictVectorizer(c);
            case "FeatureVectorizer" -> featureVectorizer(c);
            case "LabelEncoder" -> labelEncoder(c);
            case "LinearClassifier", "TreeEnsembleClassifier" -> classifier(c, Dim.of(labelCount(c)));
            case "SVMClassifier" -> classifier(c, supportVectorScores(c));
            case "LinearRegressor" ->
                scores(c, 0, ElementType.FLOAT, c.attributes().integer("targets", 1));
            case "SVMRegressor" -> scores(c, 0, ElementType.FLOAT, 1);
            case "TreeEnsembleRegressor" ->
                scores(c, 0, ElementType.FLOAT, c.attributes().integer("n_targets", 1));
            case "TreeEnsemble" -> scores(c, 0, c.element(0), c.attributes().integer("n_targets", 1));
            case "OneHotEncoder" -> oneHot(c);
            case "ZipMap" -> zipMap(c);
            default -> {}
        }
    }

    private static ElementType exchanged(ElementType element) {
        return element == ElementType.STRING ? ElementType.INT64 : ElementType.STRING;
    }

    private static int count(InferenceContext c, String attribute) {
        return switch (c.attributes().find(attribute)) {
            case Attribute.Ints ints -> ints.values().size();
            case Attribute.Strings strings -> strings.values().size();
            case Attribute.Floats floats -> floats.values().size();
            case Attribute.Tensors tensors -> tensors.values().size();
            case null, default -> 0;
        };
    }

    /** The rows of the input: a vector is one row. */
    private static Dim rows(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        return dims == null ? Dim.UNKNOWN : dims.size() < 2 ? Dims.ONE : dims.getFirst();
    }

    private static void extract(InferenceContext c) {
        List<Dim> x = c.dims(0, 1, Integer.MAX_VALUE);
        List<Dim> indices = c.dims(1);
        Dim picked = indices == null ? Dim.UNKNOWN : Dims.product(indices);
        if (x == null) {
            c.set(0, c.element(0), null);
            return;
        }
        c.set(
                0,
                c.element(0),
                x.size() == 1 ? List.of(Dims.ONE, picked) : InferenceContext.with(x, x.size() - 1, picked));
    }

    private static void castMap(InferenceContext c) {
        ElementType to = switch (c.attributes().text("cast_to", "TO_FLOAT")) {
            case "TO_FLOAT" -> ElementType.FLOAT;
            case "TO_STRING" -> ElementType.STRING;
            case "TO_INT64" -> ElementType.INT64;
            default -> throw c.refuse("attribute 'cast_to' is none of TO_FLOAT, TO_STRING, TO_INT64");
        };
        boolean dense = c.attributes().text("map_form", "DENSE").equals("DENSE");
        Dim columns = dense ? Dim.UNKNOWN : Dim.of(c.attributes().integer("max_map", 1));
        c.set(0, to, List.of(Dims.ONE, columns));
    }

    private static void dictVectorizer(InferenceContext c) {
        ElementType element =
                c.type(0) instanceof MapType(ElementType key, ValueType.TensorType value) ? value.element() : null;
        int words = count(c, "string_vocabulary") + count(c, "int64_vocabulary");
        c.set(0, element, List.of(Dims.ONE, Dim.of(words)));
    }

    private static void featureVectorizer(InferenceContext c) {
        long[] declared = c.attributes().integers("inputdimensions");
        if (declared != null
                && (declared.length != c.inputs() || Arrays.stream(declared).anyMatch(width -> width < 0))) {
            throw c.refuse("attribute 'inputdimensions' is " + Arrays.toString(declared)
                    + "; it has a width for each of " + c.inputs() + " inputs");
        }
        Dim columns = Dims.ZERO;
        for (int i = 0; i < c.inputs(); i++) {
            List<Dim> dims = c.dims(i, 1, Integer.MAX_VALUE);
            List<Dim> row = dims == null || dims.size() == 1 ? dims : dims.subList(1, dims.size());
            Dim found = row == null ? Dim.UNKNOWN : Dims.product(row);
            columns = Dims.add(columns, declared == null ? found : Dim.of(declared[i]));
        }
        c.set(0, ElementType.FLOAT, List.of(rows(c), columns));
    }

    private static void labelEncoder(InferenceContext c) {
        c.set(0, encoded(c), c.dims(0));
    }

    private static @Nullable ElementType encoded(InferenceContext c) {
        if (c.opset() < 2) {
            return c.element(0) == null ? null : exchanged(c.element(0));
        }
        if (c.attributes().has("values_tensor")) {
            return c.attributes().tensor("values_tensor").type();
        }
        if (c.attributes().has("values_strings")) {
            return ElementType.STRING;
        }
        if (c.attributes().has("values_int64s")) {
            return ElementType.INT64;
        }
        return c.attributes().has("values_floats") ? ElementType.FLOAT : null;
    }

    private static int labelCount(InferenceContext c) {
        int labels = 0;
        for (String attribute : List.of("classlabels_ints", "classlabels_int64s", "classlabels_strings")) {
            labels = Math.max(labels, count(c, attribute));
        }
        return labels;
    }

    private static void classifier(InferenceContext c, Dim columns) {
        c.dims(0, 1, 2);
        boolean text = count(c, "classlabels_strings") > 0;
        c.set(0, text ? ElementType.STRING : ElementType.INT64, List.of(rows(c)));
        c.set(1, ElementType.FLOAT, List.of(rows(c), columns.is(0) ? Dim.UNKNOWN : columns));
    }

    /** One score for each class where there are probabilities, otherwise one for each pair of classes. */
    private static Dim supportVectorScores(InferenceContext c) {
        int classes = Math.max(count(c, "vectors_per_class"), labelCount(c));
        boolean perClass = count(c, "prob_a") > 0 || count(c, "vectors_per_class") == 0 || classes <= 2;
        return Dim.of(perClass ? classes : Math.multiplyExact((long) classes, classes - 1) / 2);
    }

    private static void scores(InferenceContext c, int output, @Nullable ElementType element, long targets) {
        c.dims(0, 1, 2);
        c.set(output, element, List.of(rows(c), Dim.of(targets)));
    }

    private static void oneHot(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        var wider = dims == null ? null : new ArrayList<>(dims);
        if (wider != null) {
            wider.add(Dim.of(count(c, "cats_int64s") + count(c, "cats_strings")));
        }
        c.set(0, ElementType.FLOAT, wider);
    }

    private static void zipMap(InferenceContext c) {
        c.dims(0, 1, 2);
        ElementType key = count(c, "classlabels_strings") > 0 ? ElementType.STRING : ElementType.INT64;
        c.set(0, new SequenceType(new MapType(key, TypeLattice.scalar(ElementType.FLOAT))));
    }
}
