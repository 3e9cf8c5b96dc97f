package dev.millrace.providers.simd.rule;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
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
        byte[] bytes = new byte[Math.toIntExact(type.bytes(Shape.of(dims).elements()))];
        random.nextBytes(bytes);
        return Tensor.wrap(type, Shape.of(dims), MemorySegment.ofArray(bytes));
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
