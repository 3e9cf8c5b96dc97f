package dev.millrace.bench.agree;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The purposes of a model's inputs, as the operators that take them tell: indices, axes, lengths, scales. */
final class Roles {
    private static final int DEEPEST = 6;
    private static final int FAR = 1000;

    /**
     * The number of products from which a sum is large beside other numbers, so that rounding
     * decides among an attention's keys.
     */
    private static final int MANY = 64;

    /** The magnitude from which a term that is added to attention scores hides them. */
    private static final double HIDING = 1000;

    /** The operators whose first output has the elements of their inputs. */
    private static final Set<String> CARRIERS = Set.of(
            "Identity", "Cast", "Squeeze", "Unsqueeze", "Reshape", "Flatten", "Transpose", "Concat", "Slice", "Expand");

    /** A maker of a role for the input of an operator; returns null if nothing is known. */
    @FunctionalInterface
    private interface Maker {
        @Nullable
        Role make(Use use);
    }

    /** A use of a value: a node, and the index of the input that takes it. */
    private record Use(Node node, int index, DrawnExtents extents) {
        private @Nullable SymbolicShape shape(int input) {
            Value value = node.input(input);
            return value == null ? null : value.shape();
        }

        /** Returns an extent of an input, -1 if it is not known. */
        long extent(int input, long axis) {
            SymbolicShape shape = shape(input);
            int at = shape == null ? 0 : (int) (axis < 0 ? axis + shape.rank() : axis);
            return shape == null || at < 0 || at >= shape.rank() ? -1 : extents.of(shape.dim(at));
        }

        int rank(int input) {
            SymbolicShape shape = shape(input);
            return shape == null ? -1 : shape.rank();
        }

        long attribute(String name, long otherwise) {
            return node.attributes().integer(name, otherwise);
        }

        /** Returns the role of indices along an axis of an input. */
        @Nullable
        Role below(int input, long axis) {
            long extent = extent(input, axis);
            return extent < 1 ? null : Role.between(0, extent - 1);
        }
    }

    private static final Map<String, Maker> MAKERS = new HashMap<>();

    private static void put(String operators, int input, Maker maker) {
        for (String operator : operators.split(" ")) {
            MAKERS.put(operator + ":" + input, maker);
        }
    }

    static {
        putIndices();
        putShapes();
        putCounts();
        putScales();
    }

    private static void putIndices() {
        put("Gather GatherElements ScatterElements Scatter", 1, use -> use.below(0, use.attribute("axis", 0)));
        put("GatherND", 1, use -> leastBelow(use, (int) use.attribute("batch_dims", 0)));
        put("ScatterND", 1, use -> leastBelow(use, 0));
        put("ArrayFeatureExtractor", 1, use -> use.below(0, -1));
        put("SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss", 1, use -> use.below(0, 1));
        put("EmbedLayerNormalization", 0, use -> use.below(2, 0));
        put("EmbedLayerNormalization", 1, use -> use.below(4, 0));
        put("SequenceAt SequenceErase", 1, _ -> Role.always(0));
        put("SequenceInsert", 2, _ -> Role.always(0));
        put("RoiAlign", 2, _ -> Role.always(0));
        put("CumSum CumProd", 1, _ -> Role.always(0));
    }

    private static @Nullable Role leastBelow(Use use, int from) {
        long least = Long.MAX_VALUE;
        for (int axis = from; axis < use.rank(0); axis++) {
            least = Math.min(least, use.extent(0, axis));
        }
        return least < 1 || least == Long.MAX_VALUE ? null : Role.between(0, least - 1);
    }

    private static void putShapes() {
        put("Reshape", 1, Roles::target);
        put("Expand", 1, _ -> Role.always(1));
        put("Tile", 1, _ -> Role.between(1, 2));
        put("ConstantOfShape", 0, _ -> Role.between(1, 3));
        put("Slice", 1, _ -> Role.always(0));
        put("Slice", 2, _ -> Role.always(FAR));
        put("Slice", 3, _ -> Role.counting());
        put("Slice", 4, _ -> Role.always(1));
        put("Pad", 1, _ -> Role.between(0, 1));
        put("Pad", 3, _ -> Role.counting());
        put("Squeeze Unsqueeze", 1, _ -> Role.counting());
        put("ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2", 1, _ -> Role.counting());
        put("ReduceLogSum ReduceLogSumExp ReduceSumSquare", 1, _ -> Role.counting());
        put("Split", 1, Roles::evenParts);
        put("SplitToSequence", 1, _ -> Role.always(1));
        put("CenterCropPad", 1, _ -> Role.between(1, 4));
    }

    /** Returns the role of a target shape: the declared extents of the result, or all elements in one row. */
    private static Role target(Use use) {
        Value output = use.node().output(0);
        SymbolicShape declared =
                output != null && output.described() instanceof ValueType.TensorType type ? type.shape() : null;
        if (declared != null && declared.rank() > 0) {
            long[] extents =
                    declared.dims().stream().mapToLong(use.extents()::of).toArray();
            if (Arrays.stream(extents).filter(extent -> extent < 0).count() <= 1) {
                return Role.listed(extents);
            }
        }
        return (index, _) -> index == 0 ? -1 : 1;
    }

    private static @Nullable Role evenParts(Use use) {
        long extent = use.extent(0, use.attribute("axis", 0));
        int parts = use.node().outputs().size();
        return extent < 1 || extent % parts != 0 ? null : Role.always(extent / parts);
    }

    private static void putCounts() {
        put("TopK", 1, _ -> Role.always(1));
        put("OneHot", 1, _ -> Role.always(5));
        put("Range", 0, _ -> Role.always(0));
        put("Range", 1, _ -> Role.always(5));
        put("Range", 2, _ -> Role.always(1));
        put("Loop", 0, _ -> Role.always(3));
        put("Loop", 1, _ -> Role.always(1));
        put(
                "LSTM GRU RNN DynamicQuantizeLSTM AttnLSTM",
                4,
                use -> use.extent(0, 0) < 1 ? null : Role.between(1, use.extent(0, 0)));
        put("AttnLSTM", 12, use -> use.extent(11, 1) < 1 ? null : Role.between(1, use.extent(11, 1)));
        put("ReverseSequence", 1, use -> {
            long extent = use.extent(0, use.attribute("time_axis", 0));
            return extent < 1 ? null : Role.between(1, extent);
        });
        put("NonMaxSuppression", 2, _ -> Role.always(3));
        put("HannWindow HammingWindow BlackmanWindow", 0, _ -> Role.always(8));
        put("DFT", 1, _ -> Role.always(8));
        put("STFT", 1, _ -> Role.always(2));
        put("STFT", 3, _ -> Role.always(4));
        put("Trilu", 1, _ -> Role.between(-1, 1));
        put("BitShift", 1, _ -> Role.between(0, 7));
        put("Mod", 1, _ -> Role.between(1, 7));
        put("Div", 1, Roles::divisor);
        put("Sub", 1, use -> hides(use.node()) ? mask(use.extent(1, -1)) : null);
    }

    /** Returns the role of a divisor, which is not 0 for integers, because that ends ONNX Runtime's process. */
    private static @Nullable Role divisor(Use use) {
        Value value = use.node().input(1);
        var type = value == null ? null : value.elementType();
        return type != null && type.isInteger() ? Role.between(1, 7) : null;
    }

    /**
     * Whether {@code 1 - input} is multiplied by a large negative number that hides attention
     * scores, as exporters write masks.
     */
    private static boolean hides(Node sub) {
        return number(sub.input(0)) == 1
                && sub.requireOutput(0).users().stream()
                        .anyMatch(user ->
                                user.is("Mul") && user.inputs().stream().anyMatch(factor -> number(factor) <= -HIDING));
    }

    /** Returns the value of a constant of one element, or NaN. */
    private static double number(@Nullable Value value) {
        Node producer = value == null ? null : value.producer();
        Tensor known = value == null ? null : value.constant();
        if (producer != null
                && producer.is("Constant")
                && producer.attributes().find("value") instanceof Attribute.TensorValue held) {
            known = held.value();
        }
        return known == null || known.elements() != 1 || !known.type().isFloating()
                ? Double.NaN
                : Elements.getDouble(known.type(), known.segment(), 0);
    }

    private static void putScales() {
        put("Resize", 2, _ -> scales());
        put("Upsample", 1, _ -> scales());
        put("Resize", 3, Roles::sizes);
        put("BatchNormalization", 4, _ -> Role.real(0.1, 1));
        put("Dropout", 1, _ -> Role.real(0, 0.5));
        putWeights();
        put("Dropout", 2, _ -> Role.always(0));
        put("NonMaxSuppression", 3, _ -> Role.always(0.5));
        put("NonMaxSuppression", 4, _ -> Role.always(0));
        put("QuantizeLinear DequantizeLinear", 1, _ -> Role.real(0.01, 0.1));
        for (int scale : List.of(1, 4, 6)) {
            put("QLinearConv QLinearMatMul QLinearAdd QLinearMul", scale, _ -> Role.real(0.01, 0.1));
        }
    }

    private static void putWeights() {
        put("MatMul Gemm Attention DecoderMaskedSelfAttention", 1, use -> {
            Value weights = use.node().requireInput(1);
            var type = weights.elementType();
            long rows = use.extent(1, 0);
            boolean many = type != null && type.isFloating() && use.rank(1) == 2 && rows > MANY;
            return many ? Role.real(-2 / Math.sqrt(rows), 2 / Math.sqrt(rows)) : null;
        });
    }

    /** Returns the role of the scales of an image to twice its size. */
    private static Role scales() {
        return (index, _) -> index < 2 ? 1 : 2;
    }

    private static @Nullable Role sizes(Use use) {
        long[] sizes = new long[Math.max(0, use.rank(0))];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = (i < 2 ? 1 : 2) * use.extent(0, i);
        }
        boolean known = sizes.length > 0 && Arrays.stream(sizes).allMatch(size -> size > 0);
        return known ? Role.listed(sizes) : null;
    }

    private final @Nullable Graph graph;

    Roles(ModelFileFacts facts) {
        this.graph = facts.graph();
    }

    /** Returns the role of input {@code name}, or null if its elements may be anything. */
    @Nullable
    Role of(String name, DrawnExtents extents) {
        if (graph != null) {
            for (Value input : graph.inputs()) {
                if (input.name().equals(name)) {
                    Role role = of(input, extents, 0);
                    return role == null ? byName(input, extents) : role;
                }
            }
        }
        return null;
    }

    private static @Nullable Role byName(Value input, DrawnExtents extents) {
        var type = input.elementType();
        boolean isMask = type != null
                && type.isInteger()
                && input.name().toLowerCase(Locale.ROOT).contains("mask");
        SymbolicShape shape = input.shape();
        long row = shape == null || shape.rank() == 0 ? -1 : extents.of(shape.dim(shape.rank() - 1));
        return isMask ? mask(row) : null;
    }

    /**
     * Returns the role of padding masks: 1 for most places, and for the first one of each row. If all scores were
     * hidden alike, rounding would decide among them.
     */
    private static Role mask(long row) {
        return (index, random) -> random.nextInt(8) == 0 && (row < 1 || index % row > 0) ? 0 : 1;
    }

    private static @Nullable Role of(Value value, DrawnExtents extents, int depth) {
        for (Node user : value.users()) {
            int index = user.inputs().indexOf(value);
            Maker maker = MAKERS.get(user.op().name() + ":" + index);
            Role role = maker == null ? null : maker.make(new Use(user, index, extents));
            if (role == null && depth < DEEPEST && CARRIERS.contains(user.op().name()) && carries(user, index)) {
                role = of(user.requireOutput(0), extents, depth + 1);
            }
            if (role != null) {
                return role;
            }
        }
        return null;
    }

    private static boolean carries(Node user, int index) {
        return index == 0 || user.is("Concat");
    }
}
