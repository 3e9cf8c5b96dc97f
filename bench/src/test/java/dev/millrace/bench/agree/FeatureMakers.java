package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Classical learning, and text. */
final class FeatureMakers {
    private FeatureMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, OpId.ONNX_ML, "Scaler", (node, chance) -> {
            Shape shape = chance.full(2, 2);
            int features = (int) shape.dim(1);
            node.with("offset", reals(chance, features))
                    .with("scale", reals(chance, features))
                    .fed(chance.tensor(node.type("T"), shape));
        });
        put(
                makers,
                OpId.ONNX_ML,
                "Normalizer",
                (node, chance) -> node.with("norm", chance.one("MAX", "L1", "L2"))
                        .fed(chance.tensor(node.type("T"), chance.full(2, 2))));
        put(
                makers,
                OpId.ONNX_ML,
                "Binarizer",
                (node, chance) -> node.maybe("threshold", chance.real(-1, 1))
                        .fed(chance.tensor(ElementType.FLOAT, chance.full(1, 3))));
        put(makers, OpId.ONNX_ML, "ArrayFeatureExtractor", (node, chance) -> {
            Shape shape = chance.full(1, 3);
            long last = shape.dimAt(-1);
            node.fed(chance.tensor(node.type("T"), shape))
                    .fedOrHeld(chance.whole(ElementType.INT64, Shape.of(chance.some()), 0, last - 1));
        });
        put(makers, OpId.ONNX_ML, "FeatureVectorizer", (node, chance) -> {
            long rows = chance.some();
            long[] widths = chance.between(chance.between(1, 3), 1, 4);
            node.list("inputdimensions", widths);
            for (long width : widths) {
                node.fed(chance.tensor(ElementType.FLOAT, Shape.of(rows, width)));
            }
        });
        put(makers, OpId.ONNX_ML, "Imputer", (node, chance) -> {
            Shape shape = chance.full(2, 2);
            node.with("imputed_value_floats", reals(chance, chance.once(2) ? 1 : (int) shape.dim(1)))
                    .with("replaced_value_float", 1f)
                    .fed(chance.whole(ElementType.FLOAT, shape, 0, 2));
        });
        put(
                makers,
                OpId.ONNX_ML,
                "OneHotEncoder",
                (node, chance) -> node.list("cats_int64s", 1, 2, 5)
                        .maybe("zeros", 1)
                        .fed(chance.whole(ElementType.INT64, chance.full(1, 2), 0, 6)));
        put(
                makers,
                OpId.ONNX_ML,
                "LabelEncoder",
                (node, chance) -> node.list("keys_int64s", 1, 2, 5)
                        .with("values_floats", reals(chance, 3))
                        .maybe("default_float", 7f)
                        .fed(chance.whole(ElementType.INT64, chance.full(1, 2), 0, 6)));
        put(makers, OpId.ONNX_ML, "LinearRegressor", (node, chance) -> {
            Shape shape = chance.full(2, 2);
            int targets = chance.between(1, 3);
            node.with("coefficients", reals(chance, targets * (int) shape.dim(1)))
                    .with("targets", targets)
                    .with("intercepts", reals(chance, targets))
                    .fed(chance.tensor(ElementType.FLOAT, shape));
        });
        put(makers, OpId.ONNX_ML, "LinearClassifier", (node, chance) -> {
            Shape shape = chance.full(2, 2);
            int classes = chance.between(3, 5);
            node.with("coefficients", reals(chance, classes * (int) shape.dim(1)))
                    .with("intercepts", reals(chance, classes))
                    .list("classlabels_ints", chance.permutation(classes))
                    .with("post_transform", chance.one("NONE", "SOFTMAX", "LOGISTIC"))
                    .outputs(2)
                    .fed(chance.reals(ElementType.FLOAT, shape, -1, 1));
        });
        put(makers, "StringConcat", (node, chance) -> {
            Shape shape = chance.full(0, 3);
            node.fed(chance.tensor(ElementType.STRING, chance.under(shape)), chance.tensor(ElementType.STRING, shape));
        });
        put(
                makers,
                "StringNormalizer",
                (node, chance) -> node.with("case_change_action", chance.one("LOWER", "UPPER", "NONE"))
                        .maybe("is_case_sensitive", chance.between(0, 1))
                        .with("stopwords", new Attribute.Strings(List.of((Attribute.Bytes) Attribute.of("cat"))))
                        .fed(chance.tensor(ElementType.STRING, Shape.of(chance.some()))));
        put(
                makers,
                "RegexFullMatch",
                (node, chance) -> node.with("pattern", chance.one("[a-z]+", "\\d*", ".*a.*"))
                        .fed(chance.tensor(ElementType.STRING, chance.full(0, 3))));
        put(
                makers,
                "StringSplit",
                (node, chance) -> node.maybe("maxsplit", chance.between(1, 2))
                        .outputs(2)
                        .fed(chance.tensor(ElementType.STRING, chance.full(1, 2))));
    }

    private static Attribute reals(Chance chance, int count) {
        List<Float> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(chance.real(-2, 2));
        }
        return new Attribute.Floats(values);
    }
}
