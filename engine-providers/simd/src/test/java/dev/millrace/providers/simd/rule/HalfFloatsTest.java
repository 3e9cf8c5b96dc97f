package dev.millrace.providers.simd.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Models in 16-bit floats compute the same as those in 32-bit floats with the same constants; only inputs and outputs
 * have fewer bits.
 */
class HalfFloatsTest {
    private static final int OPSET = 22;

    private final Random random = new Random();

    /** Nodes in one type of floats, with the constants of another. */
    private record Net(GraphEditor editor, ElementType type, ElementType ofConstants) {
        Value add(String op, Attributes attributes, Value... inputs) {
            return new Nodes(editor, OPSET).add(op, attributes, inputs);
        }

        Value add(String op, Value... inputs) {
            return add(op, Attributes.NONE, inputs);
        }

        Value cast(Value value, ElementType to) {
            return add("Cast", Attributes.of("to", Attribute.of(to.code())), value);
        }

        /** These floats rounded to the type of the constants, in the type of the net. */
        Value constant(Tensor floats) {
            Tensor rounded = converted(floats, ofConstants);
            return new Nodes(editor, OPSET).constant(converted(rounded, type));
        }
    }

    private static Tensor converted(Tensor tensor, ElementType type) {
        if (tensor.type() == type) {
            return tensor;
        }
        Tensor result = Tensor.allocate(type, tensor.shape());
        double[] numbers = tensor.doubles();
        for (int i = 0; i < numbers.length; i++) {
            Elements.setDouble(type, result.segment(), i, numbers[i]);
        }
        return result;
    }

    /** Compares the net in 16 bits, converted from and to 32, with the net in 32 bits. */
    private static Comparison comparison(ElementType half, int rank, BiFunction<Net, Value, Value> making) {
        return new Comparison(
                editor -> {
                    var net = new Net(editor, half, half);
                    Value x = net.cast(Comparison.floats(editor, "x", rank), half);
                    editor.addOutput("y", net.cast(making.apply(net, x), ElementType.FLOAT));
                },
                editor -> {
                    var net = new Net(editor, ElementType.FLOAT, half);
                    Value rounded = net.cast(Comparison.floats(editor, "x", rank), half);
                    Value x = net.cast(rounded, ElementType.FLOAT);
                    editor.addOutput("y", making.apply(net, x));
                });
    }

    private Tensor floats(long... dims) {
        return Comparison.random(random, dims);
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void imagesGoThroughTheKernelsOfWideFloats(ElementType half) {
        Tensor filters = floats(24, 3, 3, 3);
        Tensor bias = floats(24);
        Tensor each = floats(24, 1, 3, 3);
        Tensor back = floats(24, 24, 1, 1);
        Tensor classes = floats(10, 24);
        Tensor offsets = floats(10);
        Tensor variance = RandomTensors.uniform(random, 0.5f, 1, 24);
        Attributes around = Attributes.of("pads", Attribute.of(1, 1, 1, 1));
        try (var both = comparison(half, 4, (net, x) -> {
            Value first = net.add("Conv", around, x, net.constant(filters), net.constant(bias));
            Value scale = net.constant(bias);
            Value normal = net.add("BatchNormalization", first, scale, scale, scale, net.constant(variance));
            Value pooled = net.add(
                    "MaxPool",
                    Attributes.of("kernel_shape", Attribute.of(2, 2)).with("strides", Attribute.of(2, 2)),
                    net.add("Relu", normal));
            Attributes depthwise = around.with("group", Attribute.of(24));
            Value inner = net.add("HardSwish", net.add("Conv", depthwise, pooled, net.constant(each)));
            Value sum = net.add("Add", net.add("Conv", inner, net.constant(back)), pooled);
            Value flat = net.add("Flatten", net.add("GlobalAveragePool", sum));
            Attributes transposed = Attributes.of("transB", Attribute.of(1));
            return net.add("Softmax", net.add("Gemm", transposed, flat, net.constant(classes), net.constant(offsets)));
        })) {
            both.agreesOn(floats(2, 3, 17, 14)).withoutFallback();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16"})
    void rowsGoThroughTheKernelsOfWideFloats(ElementType half) {
        Tensor weights = floats(40, 56);
        Tensor offsets = floats(56);
        Tensor scales = floats(40);
        try (var both = comparison(half, 3, (net, x) -> {
            Value normal = net.add("LayerNormalization", x, net.constant(scales), net.constant(scales));
            Value product = net.add("Add", net.add("MatMul", normal, net.constant(weights)), net.constant(offsets));
            Value turned = net.add("Transpose", Attributes.of("perm", Attribute.of(0, 2, 1)), product);
            Value scores = net.add("Softmax", net.add("MatMul", product, turned));
            Value mixed = net.add("MatMul", scores, net.add("Gelu", product));
            return net.add("ReduceMean", mixed, new Nodes(net.editor, OPSET).constant(1L));
        })) {
            both.agreesOn(floats(2, 9, 40)).withoutFallback();
        }
    }

    /** The larger constant exceeds the limit for folding while a program is bound. */
    @ParameterizedTest
    @ValueSource(longs = {8, 2000})
    void constantsOfAnySizeArePackedFromWhatTheModelHas(long columns) {
        Tensor weights = floats(columns, 300);
        Tensor filters = floats(columns, 100, 3, 1);
        try (var both = comparison(ElementType.FLOAT16, 2, (net, x) -> {
            Value product = net.add("Gemm", Attributes.of("transB", Attribute.of(1)), x, net.constant(weights));
            Value image = net.add("Reshape", x, new Nodes(net.editor, OPSET).constant(1, 100, 3, 1));
            Value filtered = net.add("Flatten", net.add("Conv", image, net.constant(filters)));
            return net.add("Add", product, filtered);
        })) {
            both.agreesOn(floats(1, 300)).withoutFallback();
            assertThat(both.kernels()).noneMatch(kernel -> kernel.contains("pack "));
        }
    }

    @Test
    void largeConstantsThatNothingPacksAreWidenedOnce() {
        Tensor table = floats(600, 500);
        try (var both = comparison(ElementType.FLOAT16, 2, (net, x) -> net.add("MatMul", net.constant(table), x))) {
            both.agreesOn(floats(500, 3)).withoutFallback();
            assertThat(both.kernels()).noneMatch(kernel -> kernel.contains("in0.f16"));
        }
    }

    /** The cache of a decoder: values that are only moved are neither widened nor rounded again. */
    @Test
    void whatIsMovedStaysAsItIs() {
        Tensor table = converted(floats(50, 16), ElementType.FLOAT16);
        try (var both = new Comparison(editor -> {
            var nodes = new Nodes(editor, OPSET);
            Value past = Comparison.input(editor, "past", ElementType.FLOAT16, 2);
            Value ids = Comparison.input(editor, "ids", ElementType.INT64, 1);
            Value rows = nodes.add("Gather", Attributes.NONE, nodes.constant(table), ids);
            Value present = nodes.add("Concat", Attributes.of("axis", Attribute.of(0)), past, rows);
            editor.addOutput("present", present);
            editor.addOutput("y", nodes.add("Tanh", Attributes.NONE, present));
        })) {
            Tensor past = converted(floats(7, 16), ElementType.FLOAT16);
            both.agreesOn(past, Tensor.copyOf(new long[] {3, 0, 49}, 3)).withoutFallback();
            assertThat(both.kernels())
                    .filteredOn(kernel -> kernel.startsWith("elementwise"))
                    .hasSize(1);
        }
    }

    /** Values that the model itself casts to 16 bits are rounded there. */
    @Test
    void castsOfTheModelRound() {
        try (var both = new Comparison(editor -> {
            var net = new Net(editor, ElementType.FLOAT16, ElementType.FLOAT16);
            Value x = net.cast(Comparison.floats(editor, "x", 1), ElementType.FLOAT16);
            editor.addOutput("y", net.add("Floor", net.cast(x, ElementType.FLOAT)));
        })) {
            both.agreesOn(Tensor.copyOf(new float[] {2.9999f, 2.99f, -1.00001f, 70_000f}, 4))
                    .withoutFallback();
        }
    }

    /** Outputs that other nodes read, and one value that is two outputs. */
    @Test
    void outputsHaveTheirType() {
        Tensor added = floats(4);
        try (var both = new Comparison(editor -> {
            var net = new Net(editor, ElementType.FLOAT16, ElementType.FLOAT16);
            Value doubled = net.add("Add", Comparison.input(editor, "x", ElementType.FLOAT16, 1), net.constant(added));
            editor.addOutput("sum", doubled);
            editor.addOutput("again", doubled);
            editor.addOutput("ints", net.cast(net.add("Round", doubled), ElementType.INT32));
        })) {
            Tensor x = converted(Tensor.copyOf(new float[] {1, 20, -3, 0.25f}, 4), ElementType.FLOAT16);
            both.roundingWithin(1).agreesOn(x).withoutFallback();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void weightsOfFewBitsHaveScalesOfSixteen(int bits) {
        int k = 64;
        int n = 24;
        Tensor words = RandomTensors.bits(random, ElementType.UINT8, n, 2, 32L * bits / 8);
        Tensor scales = floats(n * 2);
        Attributes attributes = Attributes.of("K", Attribute.of(k))
                .with("N", Attribute.of(n))
                .with("bits", Attribute.of(bits))
                .with("block_size", Attribute.of(32));
        try (var both = comparison(ElementType.FLOAT16, 2, (net, x) -> {
            Value data = new Nodes(net.editor, OPSET).constant(words);
            NodeSpec spec = NodeSpec.of(new OpId(OpId.MICROSOFT, "MatMulNBits"), 1, x, data, net.constant(scales));
            return net.editor.append(spec.with(attributes), List.of("product")).requireOutput(0);
        })) {
            both.agreesOn(floats(5, k)).withoutFallback();
        }
    }
}
