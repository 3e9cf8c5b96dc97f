package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.OpName;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Attributes that take one of a few values. Any other is refused rather than read as one of them. */
final class EnumAttributes {
    private static final List<String> PADDINGS = List.of("NOTSET", "", "SAME_UPPER", "SAME_LOWER", "VALID");
    private static final Map<String, List<String>> WINDOW = Map.of("auto_pad", PADDINGS);
    private static final Map<String, List<String>> SCATTER =
            Map.of("reduction", List.of("none", "add", "mul", "max", "min"));
    private static final Map<String, List<String>> LOSS = Map.of("reduction", List.of("none", "sum", "mean"));
    private static final List<String> TRANSFORMS = List.of("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT");
    private static final Map<String, List<String>> CLASSES = Map.of("post_transform", TRANSFORMS);

    private EnumAttributes() {}

    /** Throws where an attribute of the node has a value that its operator does not know. */
    static void check(InferenceContext c) {
        for (Map.Entry<String, List<String>> choice : of(c).entrySet()) {
            String name = text(c.attributes().find(choice.getKey()));
            if (name != null && !choice.getValue().contains(name)) {
                throw c.refuse("attribute '" + choice.getKey() + "' is '" + name + "' where one of " + choice.getValue()
                        + " is expected");
            }
        }
    }

    private static @Nullable String text(@Nullable Attribute attribute) {
        if (attribute instanceof Attribute.Bytes bytes) {
            return bytes.text();
        }
        return attribute instanceof Attribute.Int number ? Long.toString(number.value()) : null;
    }

    private static Map<String, List<String>> of(InferenceContext c) {
        return switch (c.node().op().domain()) {
            case OpId.ONNX, OpId.MICROSOFT -> onnx(c.op());
            case OpId.ONNX_ML -> ml(c.op());
            case OpId.ONNX_TRAINING ->
                c.op().equals("Momentum") ? Map.of("mode", List.of("standard", "nesterov")) : Map.of();
            default -> Map.of();
        };
    }

    private static Map<String, List<String>> onnx(String op) {
        return switch (op) {
            case OpName.CONV,
                    OpName.CONV_TRANSPOSE,
                    OpName.CONV_INTEGER,
                    OpName.Q_LINEAR_CONV,
                    "FusedConv",
                    OpName.MAX_POOL,
                    OpName.AVERAGE_POOL,
                    OpName.LP_POOL,
                    "NhwcMaxPool",
                    "MaxpoolWithMask",
                    "QLinearAveragePool" -> WINDOW;
            case OpName.SCATTER_ELEMENTS, OpName.SCATTER_ND -> SCATTER;
            case OpName.NEGATIVE_LOG_LIKELIHOOD_LOSS, OpName.SOFTMAX_CROSS_ENTROPY_LOSS -> LOSS;
            case OpName.RESIZE, OpName.UPSAMPLE -> resize();
            case OpName.GRID_SAMPLE ->
                Map.of(
                        "mode",
                        List.of("linear", "nearest", "cubic", "bilinear", "bicubic"),
                        "padding_mode",
                        List.of("zeros", "border", "reflection"));
            case "RoiAlign" ->
                Map.of(
                        "mode",
                        List.of("avg", "max"),
                        "coordinate_transformation_mode",
                        List.of("half_pixel", "output_half_pixel"));
            case OpName.ATTENTION -> Map.of("qk_matmul_output_mode", List.of("0", "1", "2", "3"));
            case "BitShift" -> Map.of("direction", List.of("LEFT", "RIGHT"));
            case OpName.CAST, OpName.CAST_LIKE -> Map.of("round_mode", List.of("up", "down", "nearest"));
            case OpName.DEPTH_TO_SPACE -> Map.of("mode", List.of("DCR", "CRD"));
            case OpName.GELU -> Map.of("approximate", List.of("none", "tanh"));
            case "ImageDecoder" -> Map.of("pixel_format", List.of("RGB", "BGR", "Grayscale"));
            case OpName.LP_NORMALIZATION -> Map.of("p", List.of("1", "2"));
            case OpName.PAD -> Map.of("mode", List.of("constant", "reflect", "edge", "wrap"));
            case OpName.STRING_NORMALIZER -> Map.of("case_change_action", List.of("NONE", "LOWER", "UPPER"));
            case "TensorScatter" -> Map.of("mode", List.of("linear", "circular"));
            case "TfIdfVectorizer" -> Map.of("mode", List.of("TF", "IDF", "TFIDF"));
            case "RNN", OpName.GRU, OpName.LSTM, "AttnLSTM" ->
                Map.of("direction", List.of("forward", "reverse", "bidirectional"));
            default -> Map.of();
        };
    }

    private static Map<String, List<String>> resize() {
        return Map.of(
                "mode",
                List.of("nearest", "linear", "cubic", "bilinear"),
                "coordinate_transformation_mode",
                List.of(
                        "half_pixel",
                        "half_pixel_symmetric",
                        "pytorch_half_pixel",
                        "align_corners",
                        "asymmetric",
                        "tf_half_pixel_for_nn",
                        "tf_crop_and_resize"),
                "nearest_mode",
                List.of("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "simple"),
                "keep_aspect_ratio_policy",
                List.of("stretch", "not_larger", "not_smaller"));
    }

    private static Map<String, List<String>> ml(String op) {
        return switch (op) {
            case "LinearClassifier", "LinearRegressor", "TreeEnsembleClassifier" -> CLASSES;
            case "TreeEnsembleRegressor" ->
                Map.of("post_transform", TRANSFORMS, "aggregate_function", List.of("AVERAGE", "SUM", "MIN", "MAX"));
            case "TreeEnsemble" ->
                Map.of(
                        "post_transform",
                        List.of("0", "1", "2", "3", "4"),
                        "aggregate_function",
                        List.of("0", "1", "2", "3"));
            case "SVMClassifier", "SVMRegressor" ->
                Map.of("post_transform", TRANSFORMS, "kernel_type", List.of("LINEAR", "POLY", "RBF", "SIGMOID"));
            case "Normalizer" -> Map.of("norm", List.of("MAX", "L1", "L2"));
            case "CastMap" ->
                Map.of("cast_to", List.of("TO_FLOAT", "TO_STRING", "TO_INT64"), "map_form", List.of("DENSE", "SPARSE"));
            default -> Map.of();
        };
    }
}
