package dev.millrace.providers.simd.rule.quant;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.SmallGraph;
import dev.millrace.providers.testkit.RandomTensors;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IntegerRulesTest {
    private final Random random = new Random(7);

    /** Nodes that read a matrix and a row. */
    private interface Body {
        void write(SmallGraph graph, Value left, Value right);
    }

    private void check(ElementType type, Body body) {
        var graph = new SmallGraph();
        body.write(graph, graph.input(random(type, 3, 37)), graph.input(random(type, 37)));
        graph.check(0);
    }

    /** Any bits. */
    private Tensor random(ElementType type, long... dims) {
        return RandomTensors.bits(random, type, dims);
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8", "INT16", "UINT16", "INT32"})
    void bitsAreThoseOfTheType(ElementType type) {
        check(type, (graph, left, right) -> {
            for (String operator : List.of("BitwiseAnd", "BitwiseOr", "BitwiseXor")) {
                graph.output(graph.node(operator, 18, Map.of(), left, right));
            }
            Value not = graph.node("BitwiseNot", 18, Map.of(), left);
            graph.output(graph.node("Less", 13, Map.of(), not, right), not);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8", "INT16", "UINT16", "INT32"})
    void sumsWrapAroundBeforeTheyAreReadAgain(ElementType type) {
        check(type, (graph, left, right) -> {
            for (String operator : List.of("Add", "Sub", "Mul", "Max", "Min")) {
                Value sum = graph.node(operator, 14, Map.of(), left, right);
                graph.output(sum, graph.node("Greater", 13, Map.of(), sum, right));
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "INT16", "INT32"})
    void whatIsNegativeBecomesZeroOrIsScaled(ElementType type) {
        check(type, (graph, left, right) -> {
            graph.output(graph.node("Relu", 14, Map.of(), left));
            if (type == ElementType.INT32) {
                graph.output(graph.node("PRelu", 16, Map.of(), left, right));
            }
        });
    }

    @Test
    void truthsAreEqualOrNot() {
        var graph = new SmallGraph();
        Value left = graph.input(RandomTensors.whole(ElementType.BOOL, Shape.of(3, 37), () -> random.nextInt(2)));
        Value right = graph.input(RandomTensors.whole(ElementType.BOOL, Shape.of(37), () -> random.nextInt(2)));
        graph.output(graph.node("Equal", 13, Map.of(), left, right));
        graph.check(0);
    }

    /** Any bits but those of zero. */
    private Tensor divisors(ElementType type, long... dims) {
        Tensor tensor = random(type, dims);
        int bytes = type.bits() / Byte.SIZE;
        for (long i = 0; i < tensor.elements(); i++) {
            byte lowest = tensor.segment().get(ValueLayout.JAVA_BYTE, i * bytes);
            tensor.segment().set(ValueLayout.JAVA_BYTE, i * bytes, (byte) (lowest | 1));
        }
        return tensor;
    }

    private static void divide(SmallGraph graph, Value left, Value right) {
        graph.output(
                graph.node("Div", 14, Map.of(), left, right),
                graph.node("Mod", 13, Map.of(), left, right),
                graph.node("Mod", 13, Map.of("fmod", Attribute.of(1)), left, right));
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8", "INT16", "UINT16", "INT32"})
    void quotientsAndRests(ElementType type) {
        var varying = new SmallGraph();
        divide(varying, varying.input(random(type, 3, 37)), varying.input(divisors(type, 37)));
        varying.check(0);
        var known = new SmallGraph();
        divide(known, known.input(random(type, 3, 37)), known.constant(divisors(type, 3, 37)));
        known.check(0);
    }

    @Test
    void aDivisorThatIsZeroIsRefusedInTheRun() {
        for (String operator : List.of("Div", "Mod")) {
            try (var comparison = new Comparison(editor -> {
                Value left = Comparison.input(editor, "left", ElementType.INT16, 2);
                Value right = Comparison.input(editor, "right", ElementType.INT16, 1);
                NodeSpec spec = NodeSpec.of(OpId.onnx(operator), 14, left, right);
                editor.addOutput("out", editor.append(spec, List.of("out")).requireOutput(0));
            })) {
                Tensor left = random(ElementType.INT16, 3, 37);
                comparison.agreesOn(left, divisors(ElementType.INT16, 37)).withoutFallback();
                Tensor zero = divisors(ElementType.INT16, 37);
                zero.segment().set(ValueLayout.JAVA_SHORT_UNALIGNED, 2 * 11, (short) 0);
                assertThatThrownBy(() -> comparison.agreesOn(left, zero))
                        .hasMessageContaining("integer division by zero");
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"UINT8", "UINT16"})
    void shiftsByAnyNumber(ElementType type) {
        var graph = new SmallGraph();
        Value in = graph.input(random(type, 3, 67));
        byte[] numbers = new byte[67 * type.bits() / Byte.SIZE];
        for (int i = 0; i < 67; i++) {
            numbers[i * type.bits() / Byte.SIZE] = (byte) i;
        }
        Value few = graph.input(Tensor.wrap(type, Shape.of(67), MemorySegment.ofArray(numbers)));
        Value any = graph.input(random(type, 67));
        for (String direction : List.of("LEFT", "RIGHT")) {
            Map<String, Attribute> attributes = Map.of("direction", Attribute.of(direction));
            graph.output(
                    graph.node("BitShift", 11, attributes, in, few), graph.node("BitShift", 11, attributes, in, any));
        }
        graph.check(0);
    }

    @ParameterizedTest
    @EnumSource(names = {"INT8", "UINT8", "BOOL"})
    void extremesOfNarrowInts(ElementType type) {
        var graph = new SmallGraph();
        Value in = graph.input(type == ElementType.BOOL ? truths(4, 5, 19) : random(type, 4, 5, 19));
        Value axes = graph.constant(Tensor.copyOf(new long[] {-1}, 1));
        for (String operator : List.of("ReduceMax", "ReduceMin")) {
            graph.output(
                    graph.node(operator, 20, Map.of(), in, axes),
                    graph.node(operator, 20, Map.of("keepdims", Attribute.of(0)), in));
        }
        graph.check(0);
    }

    private Tensor truths(long... dims) {
        boolean[] truths = new boolean[Math.toIntExact(Shape.of(dims).elements())];
        for (int i = 0; i < truths.length; i++) {
            truths[i] = random.nextInt(19) == 0;
        }
        return Tensor.copyOf(truths, dims);
    }

    @Test
    void clippedInts() {
        var graph = new SmallGraph();
        Value in = graph.input(random(ElementType.INT8, 3, 37));
        Value least = graph.constant(Tensor.wrap(ElementType.INT8, Shape.of(), MemorySegment.ofArray(new byte[] {-5})));
        Value most = graph.constant(Tensor.wrap(ElementType.INT8, Shape.of(), MemorySegment.ofArray(new byte[] {99})));
        graph.output(
                graph.node("Clip", 13, Map.of(), in, least, most),
                graph.node("Clip", 13, Map.of(), in, null, most),
                graph.node("Clip", 13, Map.of(), in));
        graph.check(0);
    }
}
