package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lowers the linear models of classical machine learning to matrix products, which providers have kernels for. The
 * input must be rows of floats that match the coefficients. All other inputs, and invalid models, are left to the
 * operators' own kernels.
 */
final class LinearLowerings {
    private LinearLowerings() {}

    static @Nullable Lowering lowering(Node node) {
        int features = features(node);
        if (features == 0) {
            return null;
        }
        Attributes attributes = node.attributes();
        return switch (node.op().name()) {
            case "Scaler" -> scaler(attributes, features);
            case "LinearRegressor" ->
                suits(attributes, features, attributes.integer("targets", 1))
                        ? c -> c.result(transformed(c, scores(c, features)))
                        : null;
            case "LinearClassifier" -> classifier(attributes, features);
            default -> null;
        };
    }

    /** Returns the number of floats in a row, or 0 where it is not known or the input is no matrix of floats. */
    private static int features(Node node) {
        Value in = node.requireInput(0);
        SymbolicShape shape = in.shape();
        if (shape == null || shape.rank() != 2 || in.elementType() != ElementType.FLOAT) {
            return 0;
        }
        return shape.dim(1) instanceof Dim.Known(long extent) && extent <= Integer.MAX_VALUE ? (int) extent : 0;
    }

    /** Returns the lowering of a classifier with one score per class, or null for other classifiers. */
    private static @Nullable Lowering classifier(Attributes attributes, int features) {
        Tensor labels = labels(attributes);
        if (labels == null || labels.elements() < 2 || !suits(attributes, features, labels.elements())) {
            return null;
        }
        return c -> classify(c, scores(c, features), labels);
    }

    private static boolean suits(Attributes attributes, int features, long results) {
        float[] coefficients = attributes.reals("coefficients");
        float[] intercepts = attributes.reals("intercepts");
        boolean known = switch (attributes.text("post_transform", "NONE")) {
            case "NONE", "LOGISTIC", "SOFTMAX" -> true;
            default -> false;
        };
        return known
                && coefficients != null
                && coefficients.length == features * results
                && (intercepts == null || intercepts.length == 0 || intercepts.length == results);
    }

    private static @Nullable Lowering scaler(Attributes attributes, int features) {
        float[] offsets = attributes.reals("offset");
        float[] scales = attributes.reals("scale");
        if (offsets == null || scales == null || !isOfRow(offsets, features) || !isOfRow(scales, features)) {
            return null;
        }
        return c -> c.result(c.op(OpName.MUL, c.op(OpName.SUB, c.input(0), reals(c, offsets)), reals(c, scales)));
    }

    private static boolean isOfRow(float[] numbers, int features) {
        return numbers.length == 1 || numbers.length == features;
    }

    private static Value reals(Composer c, float[] numbers) {
        return c.constant(Tensor.copyOf(numbers, numbers.length));
    }

    private static Value scores(Composer c, int features) {
        float[] coefficients = Objects.requireNonNull(c.attributes().reals("coefficients"));
        int results = coefficients.length / features;
        float[] intercepts = c.attributes().reals("intercepts");
        Value weights = c.constant(Tensor.copyOf(coefficients, results, features));
        Value bias = intercepts == null || intercepts.length == 0 ? null : reals(c, intercepts);
        return c.add(c.onnx(OpName.GEMM, c.input(0), weights, bias).with("transB", Attribute.of(1)));
    }

    private static Value transformed(Composer c, Value scores) {
        return switch (c.attributes().text("post_transform", "NONE")) {
            case "LOGISTIC" -> c.op(OpName.SIGMOID, scores);
            case "SOFTMAX" -> c.add(c.onnx(OpName.SOFTMAX, scores).with("axis", Attribute.of(1)));
            default -> scores;
        };
    }

    private static @Nullable Tensor labels(Attributes attributes) {
        List<String> texts = attributes.texts("classlabels_strings");
        if (texts != null && !texts.isEmpty()) {
            return Tensor.ofStrings(Shape.of(texts.size()), texts.toArray(new String[0]));
        }
        long[] numbers = attributes.integers("classlabels_ints");
        return numbers == null ? null : Tensor.copyOf(numbers, numbers.length);
    }

    /** Writes the label of the largest score and the transformed scores. */
    private static void classify(Composer c, Value scores, Tensor labels) {
        Value best = c.add(
                c.onnx(OpName.ARG_MAX, scores).with("axis", Attribute.of(1)).with("keepdims", Attribute.of(0)));
        c.result(c.op(OpName.GATHER, c.constant(labels), best));
        if (c.wants(1)) {
            c.result(1, transformed(c, scores));
        }
    }
}
