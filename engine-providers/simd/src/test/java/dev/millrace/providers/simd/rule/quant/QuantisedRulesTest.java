package dev.millrace.providers.simd.rule.quant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.Nodes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantisedRulesTest extends QuantisedCases {
    /** A product with weights that were quantised by themselves, as exporters write it. */
    @RepeatedTest(25)
    void dynamicallyQuantisedProductsAreOneStep() {
        int k = upTo(80);
        int n = 1 + upTo(100);
        int m = upTo(20);
        boolean perColumn = random.nextBoolean();
        boolean residual = random.nextBoolean();
        ElementType type = anyBytes();
        Tensor weights = bytes(type, k, n);
        Tensor zero = perColumn ? bytes(type, n) : bytes(type);
        Tensor scale = scales(perColumn ? n : 1);
        Tensor bias = Comparison.random(random, n);
        try (var both = new Comparison(editor -> {
            Value x = Comparison.floats(editor, "x", 3);
            Value product = scaled(editor, "MatMulInteger", Attributes.NONE, x, weights, zero, scale);
            Value sum = op(editor, "Add", constant(editor, bias), product);
            Value last = residual ? op(editor, "Add", sum, Comparison.floats(editor, "r", 3)) : op(editor, "Tanh", sum);
            editor.addOutput("y", last);
        })) {
            Tensor x = Comparison.random(random, 2, m, k);
            if (residual) {
                both.agreesOn(x, Comparison.random(random, 2, m, n));
            } else {
                both.agreesOn(x);
            }
            both.withoutFallback();
            assertThat(both.kernels()).hasSize(residual ? 3 : 2);
        }
    }

    @RepeatedTest(25)
    void sumsOfProductsAreExact() {
        int k = upTo(300);
        int n = upTo(70);
        ElementType left = anyBytes();
        ElementType right = anyBytes();
        Tensor weights = bytes(right, k, n);
        Tensor zeroOfA = bytes(left);
        Tensor zeros = random.nextBoolean() ? bytes(right, n) : bytes(right);
        try (var both = new Comparison(editor -> editor.addOutput(
                "y",
                op(
                        editor,
                        "MatMulInteger",
                        Comparison.input(editor, "x", left, 2),
                        constant(editor, weights),
                        constant(editor, zeroOfA),
                        constant(editor, zeros))))) {
            both.agreesOn(bytes(left, upTo(30), k)).agreesOn(bytes(left, 1, k)).withoutFallback();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16", "DOUBLE", "INT64"})
    void sumsOfProductsAreWrittenAsOtherNumbers(ElementType to) {
        Tensor weights = bytes(ElementType.INT8, 9, 5);
        try (var both = new Comparison(editor -> {
            Value x = Comparison.input(editor, "x", ElementType.INT8, 2);
            Value sums = op(editor, "MatMulInteger", x, constant(editor, weights));
            editor.addOutput("y", op(editor, "Cast", ints("to", to.code()), sums));
        })) {
            both.agreesOn(bytes(ElementType.INT8, 3, 9));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLOAT16", "BFLOAT16", "DOUBLE"})
    void dequantisedProductsAreWrittenAsOtherNumbers(ElementType to) {
        Tensor weights = bytes(ElementType.INT8, 9, 5);
        try (var both = new Comparison(editor -> {
            Value scale = constant(editor, Tensor.scalar(0.5f));
            Value x = op(editor, "DequantizeLinear", Comparison.input(editor, "x", ElementType.INT8, 2), scale);
            Value by = op(editor, "DequantizeLinear", constant(editor, weights), scale);
            Value product = op(editor, "MatMul", x, by);
            editor.addOutput("y", op(editor, "Cast", ints("to", to.code()), product));
        })) {
            both.agreesOn(bytes(ElementType.INT8, 3, 9));
        }
    }

    @RepeatedTest(15)
    void productsFromBytesToBytesAgree() {
        ElementType type = anyBytes();
        int k = upTo(100);
        int n = upTo(60);
        List<Tensor> numbers = List.of(
                scales(1), bytes(type), bytes(type, k, n), scales(1), bytes(type), Tensor.scalar(0.05f), bytes(type));
        try (var both = new Comparison(editor -> {
            List<Value> inputs = new ArrayList<>(List.of(Comparison.input(editor, "x", type, 3)));
            numbers.forEach(number -> inputs.add(constant(editor, number)));
            editor.addOutput("y", op(editor, "QLinearMatMul", inputs.toArray(Value[]::new)));
        })) {
            both.roundingWithin(1).agreesOn(bytes(type, 2, upTo(9), k)).withoutFallback();
        }
    }

    @RepeatedTest(15)
    void productsBetweenQuantisationsStayBytes() {
        int k = upTo(60);
        int n = upTo(60);
        boolean gemm = random.nextBoolean();
        Tensor weights = gemm ? bytes(ElementType.INT8, n, k) : bytes(ElementType.INT8, k, n);
        Tensor scale = scales(n);
        Tensor bias = Comparison.random(random, n);
        Tensor zeroPoint = bytes(ElementType.UINT8);
        try (var both = new Comparison(editor -> {
            Value by = constant(editor, Tensor.scalar(0.03f));
            Value zero = constant(editor, zeroPoint);
            Value x = op(editor, "DequantizeLinear", Comparison.input(editor, "x", ElementType.UINT8, 2), by, zero);
            Value w = op(
                    editor,
                    "DequantizeLinear",
                    ints("axis", gemm ? 0 : 1),
                    constant(editor, weights),
                    constant(editor, scale));
            Value product = gemm
                    ? op(editor, "Gemm", ints("transB", 1), x, w, constant(editor, bias))
                    : op(editor, "Add", op(editor, "MatMul", x, w), constant(editor, bias));
            editor.addOutput("f", product);
            editor.addOutput("y", op(editor, "QuantizeLinear", product, by, zero));
        })) {
            both.roundingWithin(1)
                    .agreesOn(bytes(ElementType.UINT8, upTo(9), k))
                    .withoutFallback();
        }
    }

    /** A bias may be a fraction of the sums' unit, and that fraction a whole step of the output. */
    @ParameterizedTest
    @ValueSource(floats = {0.6f, 3})
    void aBiasIsNotRoundedBeforeTheSum(float added) {
        Tensor weights = Tensor.copyOf(new byte[] {1, 2, 3}, 3, 1);
        Tensor bias = Tensor.copyOf(new float[] {0.7f * added}, 1);
        Tensor none = Tensor.allocate(ElementType.INT8, Shape.SCALAR);
        try (var both = new Comparison(editor -> {
            Value zero = constant(editor, none);
            Value step = constant(editor, Tensor.scalar(0.7f));
            Value one = constant(editor, Tensor.scalar(1f));
            Value x = op(editor, "DequantizeLinear", Comparison.input(editor, "x", ElementType.INT8, 2), step, zero);
            Value w = op(editor, "DequantizeLinear", constant(editor, weights), one, zero);
            Value sum = op(editor, "Gemm", x, w, constant(editor, bias));
            editor.addOutput("y", op(editor, "QuantizeLinear", sum, constant(editor, Tensor.scalar(0.3f)), zero));
        })) {
            both.agreesOn(Tensor.copyOf(new byte[] {1, 1, 1, 5, -3, 2, 0, 0, 0, -9, 4, 1}, 4, 3))
                    .withoutFallback();
            assertThat(both.kernels()).hasSize(added == Math.rint(added) ? 1 : 2);
        }
    }

    @ParameterizedTest
    @ValueSource(floats = {0, Float.MIN_VALUE, Float.NaN, Float.POSITIVE_INFINITY})
    void aScaleThatNothingCanBeDividedByScalesAllTheSame(float odd) {
        Tensor weights = bytes(ElementType.INT8, 12, 6);
        float[] steps = {0.01f, 0.02f, odd, 0.01f, 0.03f, 0.01f};
        Tensor bias = Comparison.random(random, 6);
        Tensor zero = bytes(ElementType.UINT8);
        try (var both = new Comparison(editor -> {
            Value by = constant(editor, Tensor.scalar(0.03f));
            Value point = constant(editor, zero);
            Value x = op(editor, "DequantizeLinear", Comparison.input(editor, "x", ElementType.UINT8, 2), by, point);
            Value scale = constant(editor, Tensor.copyOf(steps, 6));
            Value w = op(editor, "DequantizeLinear", ints("axis", 1), constant(editor, weights), scale);
            editor.addOutput("y", op(editor, "Gemm", x, w, constant(editor, bias)));
        })) {
            both.agreesOn(bytes(ElementType.UINT8, 5, 12));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 5, Integer.MAX_VALUE})
    void differencesThatAreNoIntsAreScaled(int zero) {
        Tensor point = Tensor.copyOf(new int[] {zero}, new long[0]);
        try (var both = new Comparison(editor -> {
            Value x = Comparison.input(editor, "x", ElementType.INT32, 1);
            Value scale = constant(editor, Tensor.scalar(0.5f));
            Value numbers = op(editor, "DequantizeLinear", x, scale, constant(editor, point));
            editor.addOutput("y", op(editor, "Mul", numbers, scale));
        })) {
            both.agreesOn(Tensor.copyOf(new int[] {Integer.MIN_VALUE, -7, Integer.MAX_VALUE}, 3));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UINT8", "INT8", "UINT16", "INT16", "UINT4", "INT4"})
    void quantisationsAgreeForTensorsAxesAndBlocks(ElementType type) {
        for (int i = 0; i < 10; i++) {
            int block = 2 * upTo(16);
            long[] shape = {upTo(4), 2 * upTo(5), (long) block * upTo(3)};
            for (int way = 0; way < 3; way++) {
                long[] scales = way == 0
                        ? new long[0]
                        : way == 1 ? new long[] {shape[1]} : new long[] {shape[0], shape[1], shape[2] / block};
                quantisationAgrees(type, shape, scales, way == 2 ? block : 0);
            }
        }
    }

    private void quantisationAgrees(ElementType type, long[] shape, long[] scales, int block) {
        Tensor scale = scales(Math.toIntExact(Shape.of(scales).elements())).reshaped(Shape.of(scales));
        Tensor zero = bytes(type, scales);
        Attributes attributes = ints("axis", block > 0 ? 2 : 1).with("block_size", Attribute.of(block));
        try (var both = new Comparison(editor -> {
            Value by = constant(editor, scale);
            Value point = constant(editor, zero);
            Value bytes = op(editor, "QuantizeLinear", attributes, Comparison.floats(editor, "x", 3), by, point);
            editor.addOutput("q", bytes);
            editor.addOutput("y", op(editor, "DequantizeLinear", attributes, bytes, by, point));
        })) {
            both.agreesOn(Comparison.random(random, shape)).withoutFallback();
        }
    }

    @Test
    void aRangeLeavesOutWhatIsNoNumber() {
        try (var both = new Comparison(editor -> {
            Nodes nodes = nodes(editor);
            nodes.addSplit(3, "DynamicQuantizeLinear", Attributes.NONE, Comparison.floats(editor, "x", 1))
                    .forEach(nodes::output);
        })) {
            both.agreesOn(Tensor.copyOf(new float[] {Float.NaN, 3, -1, Float.NaN, 0.5f}, 5))
                    .withoutFallback();
        }
    }
}
