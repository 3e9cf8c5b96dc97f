package dev.millrace.providers.simd.rule.quant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QuantisedConvolutionRulesTest extends QuantisedCases {
    /** The attributes of a convolution, and a shape that it fits. */
    private final class Window {
        private final int groups = random.nextInt(3) == 0 ? upTo(40) : 1;
        private final boolean depthwise = groups > 1 && random.nextBoolean();
        private final int channels = groups * (depthwise ? 1 : upTo(9));
        private final int outChannels = groups * (depthwise ? 1 : upTo(9));
        private final int taps = upTo(3);
        private final int pad = random.nextInt(taps);
        private final long[] shape = {upTo(2), channels, 3 + upTo(12), 3 + upTo(12)};
        private final Attributes attributes = ints("pads", pad, pad, pad, pad)
                .with("strides", Attribute.of(new long[] {upTo(2), upTo(2)}))
                .with("group", Attribute.of(groups));

        Tensor weights(ElementType type) {
            return bytes(type, outChannels, channels / groups, taps, taps);
        }
    }

    @RepeatedTest(25)
    void sumsOfConvolutionsAreExact() {
        var window = new Window();
        ElementType left = anyBytes();
        ElementType right = anyBytes();
        Tensor weights = window.weights(right);
        Tensor zeroOfX = bytes(left);
        Tensor zero = bytes(right);
        try (var both = new Comparison(editor -> editor.addOutput(
                "y",
                op(
                        editor,
                        "ConvInteger",
                        window.attributes,
                        Comparison.input(editor, "x", left, 4),
                        constant(editor, weights),
                        constant(editor, zeroOfX),
                        constant(editor, zero))))) {
            both.agreesOn(bytes(left, window.shape)).withoutFallback();
        }
    }

    /** Convolutions with weights that were quantised by themselves, as exporters write them. */
    @RepeatedTest(25)
    void dynamicallyQuantisedConvolutionsAgree() {
        var window = new Window();
        ElementType type = anyBytes();
        Tensor weights = window.weights(type);
        Tensor zero = bytes(type);
        Tensor scale = scales(1);
        Tensor bias = Comparison.random(random, 1, window.outChannels, 1, 1);
        String last = List.of("Identity", "Relu", "Sigmoid", "Tanh", "HardSwish", "Silu")
                .get(random.nextInt(6));
        try (var both = new Comparison(editor -> {
            Value x = Comparison.floats(editor, "x", 4);
            Value product = scaled(editor, "ConvInteger", window.attributes, x, weights, zero, scale);
            Value sum = op(editor, "Add", product, constant(editor, bias));
            Value y = last.equals("Silu") ? op(editor, "Mul", sum, op(editor, "Sigmoid", sum)) : op(editor, last, sum);
            editor.addOutput("y", y);
        })) {
            both.agreesOn(Comparison.random(random, window.shape)).withoutFallback();
        }
    }

    @RepeatedTest(25)
    void convolutionsFromBytesToBytesAgree() {
        var window = new Window();
        ElementType type = anyBytes();
        boolean perChannel = random.nextBoolean();
        Tensor weights = window.weights(ElementType.INT8);
        Tensor scale = scales(perChannel ? window.outChannels : 1);
        Tensor zeros = perChannel ? bytes(ElementType.INT8, window.outChannels) : bytes(ElementType.INT8);
        Tensor bias = Tensor.copyOf(random.ints(window.outChannels, -5000, 5000).toArray(), window.outChannels);
        List<Tensor> numbers = new ArrayList<>(List.of(scales(1), bytes(type), weights, scale, zeros));
        numbers.addAll(List.of(Tensor.scalar(0.1f), bytes(type), bias));
        try (var both = new Comparison(editor -> {
            List<Value> inputs = new ArrayList<>(List.of(Comparison.input(editor, "x", type, 4)));
            numbers.forEach(number -> inputs.add(constant(editor, number)));
            editor.addOutput("y", op(editor, "QLinearConv", window.attributes, inputs.toArray(Value[]::new)));
        })) {
            both.roundingWithin(1).agreesOn(bytes(type, window.shape)).withoutFallback();
        }
    }

    /** A convolution and a sum that is rounded once, between quantisations. */
    @RepeatedTest(20)
    void convolutionsBetweenQuantisationsStayBytes() {
        var window = new Window();
        ElementType type = anyBytes();
        Tensor weights = window.weights(ElementType.INT8);
        Tensor scale = scales(window.outChannels);
        Tensor bias = Comparison.random(random, window.outChannels);
        Tensor step = Tensor.scalar(0.02f);
        Tensor least = type == ElementType.INT8
                ? Tensor.copyOf(new byte[] {-128}).reshaped(Shape.SCALAR)
                : Tensor.allocate(type, Shape.SCALAR);
        try (var both = new Comparison(editor -> {
            Value by = constant(editor, step);
            Value zero = constant(editor, least);
            Value x = op(editor, "DequantizeLinear", Comparison.input(editor, "x", type, 4), by, zero);
            Value w =
                    op(editor, "DequantizeLinear", ints("axis", 0), constant(editor, weights), constant(editor, scale));
            Value conv = op(editor, "Conv", window.attributes, x, w, constant(editor, bias));
            Value first = op(editor, "QuantizeLinear", op(editor, "Relu", conv), by, zero);
            Value back = op(editor, "DequantizeLinear", first, by, zero);
            Value sum = op(editor, "Add", back, op(editor, "Sigmoid", back));
            editor.addOutput("y", op(editor, "QuantizeLinear", sum, by, zero));
        })) {
            both.roundingWithin(2).agreesOn(bytes(type, window.shape)).withoutFallback();
            assertThat(both.kernels())
                    .filteredOn(kernel -> kernel.startsWith("conv.s8"))
                    .hasSize(1);
        }
    }

    /** The results of byte convolutions have contiguous channels (NHWC), and are reduced without reordering. */
    @ParameterizedTest
    @CsvSource({"GlobalAveragePool, 1", "GlobalMaxPool, 2", "ReduceMean, 2", "ReduceMax, 1"})
    void wholeImagesAreReducedWhereTheyLie(String operator, int batch) {
        Tensor weights = bytes(ElementType.INT8, 12, 6, 3, 3);
        Tensor scale = scales(12);
        Tensor step = Tensor.scalar(0.02f);
        try (var both = new Comparison(editor -> {
            Value by = constant(editor, step);
            Value zero = constant(editor, Tensor.allocate(ElementType.UINT8, Shape.SCALAR));
            Value x = op(editor, "DequantizeLinear", Comparison.input(editor, "x", ElementType.UINT8, 4), by, zero);
            Value w =
                    op(editor, "DequantizeLinear", ints("axis", 0), constant(editor, weights), constant(editor, scale));
            Value conv = op(editor, "Relu", op(editor, "Conv", x, w));
            Value image = op(editor, "DequantizeLinear", op(editor, "QuantizeLinear", conv, by, zero), by, zero);
            Value pooled = operator.startsWith("Global")
                    ? op(editor, operator, image)
                    : op(editor, operator, image, constant(editor, Tensor.copyOf(new long[] {2, 3}, 2)));
            editor.addOutput("y", op(editor, "QuantizeLinear", pooled, by, zero));
        })) {
            both.roundingWithin(2)
                    .agreesOn(bytes(ElementType.UINT8, batch, 6, 7, 9))
                    .withoutFallback();
            assertThat(both.kernels())
                    .anyMatch(kernel ->
                            kernel.startsWith("reduce") && kernel.endsWith("[" + batch + ", 35, 12] over [1]"));
        }
    }
}
