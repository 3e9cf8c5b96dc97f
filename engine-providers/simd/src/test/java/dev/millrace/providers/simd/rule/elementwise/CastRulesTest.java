package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CastRulesTest {
    private static final double[] NUMBERS = {
        0,
        -0.0,
        0.9,
        -1.5,
        -2,
        127.5,
        300,
        -40_000,
        70_000,
        0x1p31,
        -0x1p31,
        3e9,
        -3e9,
        0x1p32,
        1e12,
        0x1p63,
        -0x1p63,
        1e19,
        -1e19,
        0x1p64,
        1e30,
        -1e30,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.NaN
    };
    private static final List<ElementType> INTEGERS = List.of(
            ElementType.INT8,
            ElementType.UINT8,
            ElementType.INT16,
            ElementType.UINT16,
            ElementType.INT32,
            ElementType.UINT32,
            ElementType.INT64,
            ElementType.UINT64,
            ElementType.BOOL);

    /** ONNX says nothing about them. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"})
    void floatsThatAreNoIntegersBecomeTheSameOnesAsInTheReference(ElementType type) {
        var graph = new SmallGraph();
        Value in = graph.input(numbers(type));
        for (ElementType to : INTEGERS) {
            graph.output(graph.node("Cast", 13, Map.of("to", Attribute.of(to.code())), in));
        }
        graph.check(0);
    }

    private static Tensor numbers(ElementType type) {
        Tensor tensor = Tensor.allocate(type, Shape.of(NUMBERS.length));
        for (int i = 0; i < NUMBERS.length; i++) {
            Elements.setDouble(type, tensor.segment(), i, NUMBERS[i]);
        }
        return tensor;
    }
}
