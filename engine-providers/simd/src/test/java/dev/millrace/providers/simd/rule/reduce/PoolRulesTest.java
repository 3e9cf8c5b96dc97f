package dev.millrace.providers.simd.rule.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PoolRulesTest {
    private static final double TOLERANCE = 1e-6;

    private final Random random = new Random(3);

    private static Map<String, Attribute> with(Map<String, Attribute> some, String name, Attribute value) {
        var all = new HashMap<>(some);
        all.put(name, value);
        return all;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 40})
    void windowsSlideAsTheReferencesDo(long channels) {
        var graph = new SmallGraph();
        Value in = graph.input(SmallGraph.random(random, 2, channels, 13, 18));
        Map<String, Attribute> window = Map.of(
                "kernel_shape", Attribute.of(3L, 2L),
                "strides", Attribute.of(2L, 1L),
                "pads", Attribute.of(1L, 0L, 1L, 1L));
        graph.output(
                graph.node("MaxPool", 12, window, in),
                graph.node("AveragePool", 19, window, in),
                graph.node("AveragePool", 19, with(window, "count_include_pad", Attribute.of(1)), in),
                graph.node(
                        "AveragePool",
                        19,
                        with(with(window, "count_include_pad", Attribute.of(1)), "ceil_mode", Attribute.of(1)),
                        in),
                graph.node("LpPool", 18, window, in),
                graph.node("LpPool", 18, with(window, "p", Attribute.of(1)), in));
        graph.check(TOLERANCE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 40})
    void theLargestBytesStayBytes(long channels) {
        var graph = new SmallGraph();
        for (ElementType type : List.of(ElementType.INT8, ElementType.UINT8)) {
            Tensor bytes = Tensor.allocate(type, Shape.of(2, channels, 13, 18));
            for (int i = 0; i < bytes.elements(); i++) {
                bytes.segment().set(ValueLayout.JAVA_BYTE, i, (byte) random.nextInt());
            }
            Value in = graph.input(bytes);
            for (long pad : new long[] {0, 1}) {
                Map<String, Attribute> window = Map.of(
                        "kernel_shape", Attribute.of(3L, 2L),
                        "strides", Attribute.of(2L, 1L),
                        "pads", Attribute.of(pad, 0L, pad, pad),
                        "ceil_mode", Attribute.of(pad));
                graph.output(graph.node("MaxPool", 12, window, in));
            }
        }
        graph.check(TOLERANCE);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 40})
    void squaresThatAreNoFloatsMakeNormsAllTheSame(long channels) {
        for (float scale : new float[] {1e25f, 1e-30f, 0, Float.POSITIVE_INFINITY}) {
            var graph = new SmallGraph();
            float[] numbers = SmallGraph.random(random, 2, channels, 9, 7).floats();
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = i % 31 == 0 ? numbers[i] : numbers[i] * scale;
            }
            Value in = graph.input(Tensor.copyOf(numbers, 2, channels, 9, 7));
            var window = Map.of(
                    "kernel_shape",
                    Attribute.of(3L, 2L),
                    "strides",
                    Attribute.of(2L, 1L),
                    "pads",
                    Attribute.of(1L, 0L, 1L, 1L));
            graph.output(graph.node("LpPool", 18, window, in), graph.node("GlobalLpPool", 2, Map.of(), in));
            graph.check(TOLERANCE);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 3, 40})
    void wholeImagesBecomeOneElementOfEachChannel(long channels) {
        for (long[] dims : List.of(new long[] {2, channels, 29}, new long[] {2, channels, 7, 11})) {
            var graph = new SmallGraph();
            Value in = graph.input(SmallGraph.random(random, dims));
            for (String operator : List.of("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")) {
                graph.output(graph.node(operator, 2, Map.of(), in));
            }
            graph.output(graph.node("GlobalLpPool", 2, Map.of("p", Attribute.of(1)), in));
            graph.check(TOLERANCE);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 34, true", "40, 34, true", "40, 5, false"})
    void rowsThatFillVectorsAreLeftWhereTheyAre(long channels, long size, boolean planes) {
        var graph = new SmallGraph();
        Value in = graph.input(SmallGraph.random(random, 1, channels, size, size));
        graph.output(graph.node("MaxPool", 12, Map.of("kernel_shape", Attribute.of(3L, 3L)), in));
        graph.check(TOLERANCE);
        assertThat(graph.kernels().contains("pool of planes")).isEqualTo(planes);
    }

    @Test
    void averagesOfLargeImagesKeepTheirPrecision() {
        var graph = new SmallGraph();
        float[] pixels = new float[16 * 800 * 700];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = 1 + 0.3f * (i % 3);
        }
        Value x = graph.input(Tensor.copyOf(pixels, 1, 16, 800, 700));
        graph.output(graph.node("GlobalAveragePool", 22, Map.of(), x)).check(2e-6);
    }
}
