package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.simd.rule.SmallGraph;
import dev.millrace.providers.testkit.RandomTensors;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Quantised operators with operands that are only known in a run. */
class VaryingProductTest {
    private final Random random = new Random(9);

    private Tensor bytes(ElementType type, long... dims) {
        return RandomTensors.bits(random, type, dims);
    }

    private static void output(GraphEditor editor, NodeSpec spec, String name) {
        editor.addOutput(name, editor.append(spec, List.of(name)).requireOutput(0));
    }

    /** The largest sums that there can be, too. */
    @ParameterizedTest
    @CsvSource({"UINT8,INT8,7", "UINT8,UINT8,256", "INT8,INT8,257", "INT8,UINT8,700"})
    void sumsAreExact(ElementType left, ElementType right, long depth) {
        try (var comparison = new Comparison(editor -> {
            Value a = Comparison.input(editor, "a", left, 3);
            Value b = Comparison.input(editor, "b", right, 2);
            Value zeroOfA = Comparison.input(editor, "zero of a", left, 0);
            Value zeroOfB = Comparison.input(editor, "zero of b", right, 1);
            OpId op = OpId.onnx("MatMulInteger");
            output(editor, NodeSpec.of(op, 10, a, b), "plain");
            output(editor, NodeSpec.of(op, 10, a, b, zeroOfA, zeroOfB), "shifted");
        })) {
            comparison
                    .agreesOn(bytes(left, 2, 3, depth), bytes(right, depth, 19), bytes(left), bytes(right, 19))
                    .agreesOn(filled(left, 2, 3, depth), filled(right, depth, 19), bytes(left), bytes(right, 19))
                    .withoutFallback();
        }
    }

    private static Tensor filled(ElementType type, long... dims) {
        Tensor tensor = Tensor.allocate(type, Shape.of(dims));
        tensor.segment().fill((byte) (type == ElementType.UINT8 ? 0xff : 0x80));
        return tensor;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void scaledProducts(boolean byColumn) {
        float[] scales = new float[19];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = 0.25f / (1 << i % 4);
        }
        int rank = byColumn ? 1 : 0;
        try (var comparison = new Comparison(editor -> {
            Value[] inputs = {
                Comparison.input(editor, "a", ElementType.UINT8, 3),
                Comparison.floats(editor, "scale of a", 0),
                Comparison.input(editor, "zero of a", ElementType.UINT8, 0),
                Comparison.input(editor, "b", ElementType.INT8, 3),
                Comparison.floats(editor, "scales of b", rank),
                Comparison.input(editor, "zeros of b", ElementType.INT8, rank),
                Comparison.floats(editor, "scale", 0),
                Comparison.input(editor, "zero", ElementType.UINT8, 0)
            };
            output(editor, NodeSpec.of(OpId.onnx("QLinearMatMul"), 21, inputs), "out");
        })) {
            comparison
                    .agreesOn(
                            bytes(ElementType.UINT8, 2, 3, 300),
                            Tensor.scalar(0.5f),
                            bytes(ElementType.UINT8),
                            bytes(ElementType.INT8, 2, 300, 19),
                            byColumn ? Tensor.copyOf(scales, 19) : Tensor.scalar(0.25f),
                            byColumn ? bytes(ElementType.INT8, 19) : bytes(ElementType.INT8),
                            Tensor.scalar(512f),
                            bytes(ElementType.UINT8))
                    .withoutFallback();
        }
    }

    @Test
    void blocksOfScalesAlongAnyAxis() {
        for (int axis = 0; axis < 3; axis++) {
            long[] dims = {4, 6, 8};
            long[] few = dims.clone();
            few[axis] /= 2;
            int along = axis;
            Tensor scales = Tensor.allocate(ElementType.FLOAT, Shape.of(few));
            for (long i = 0; i < scales.elements(); i++) {
                scales.segment().setAtIndex(ValueLayout.JAVA_FLOAT, i, 0.125f * (1 + i % 5));
            }
            try (var comparison = new Comparison(editor -> {
                Value scale = Comparison.floats(editor, "scale", 3);
                Value zero = Comparison.input(editor, "zero", ElementType.UINT8, 3);
                Value numbers = Comparison.floats(editor, "numbers", 3);
                Value value = Comparison.input(editor, "given", ElementType.UINT8, 3);
                output(editor, blocked("QuantizeLinear", along, numbers, scale, zero), "quantised");
                output(editor, blocked("DequantizeLinear", along, value, scale, zero), "shifted");
                output(editor, blocked("DequantizeLinear", along, value, scale), "plain");
            })) {
                comparison
                        .agreesOn(
                                scales,
                                bytes(ElementType.UINT8, few),
                                Comparison.random(random, dims),
                                bytes(ElementType.UINT8, dims))
                        .withoutFallback();
            }
        }
    }

    private static NodeSpec blocked(String operator, int axis, Value... inputs) {
        return NodeSpec.of(OpId.onnx(operator), 21, inputs)
                .with("axis", Attribute.of(axis))
                .with("block_size", Attribute.of(2));
    }

    @Test
    void means() {
        var graph = new SmallGraph();
        Value a = graph.input(SmallGraph.random(random, 3, 37));
        Value b = graph.input(SmallGraph.random(random, 37));
        Value c = graph.input(SmallGraph.random(random, 3, 1));
        graph.output(
                graph.node("Mean", 13, Map.of(), a),
                graph.node("Mean", 13, Map.of(), a, b),
                graph.node("Mean", 13, Map.of(), a, b, c));
        graph.check(1e-6);
    }
}
