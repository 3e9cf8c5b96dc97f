package dev.millrace.example.npu;

import dev.millrace.example.npu.NpuInstruction.Code;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operators of ONNX that the NPU has instructions for, and where their inputs are. */
final class NpuOperators {
    /** The first opset in which all of them broadcast as they do now. */
    private static final int OPSET = 8;

    private static final Map<String, Row> ROWS = Map.ofEntries(
            Map.entry("MatMulInteger", new Row(Code.PRODUCT, List.of(0, 1), List.of(), List.of(2, 3))),
            Map.entry("QLinearMatMul", new Row(Code.SCALED_PRODUCT, List.of(0, 3), List.of(1, 4, 6), List.of(2, 5, 7))),
            Map.entry("QuantizeLinear", new Row(Code.QUANTISE, List.of(0), List.of(1), List.of(2))),
            Map.entry("DequantizeLinear", new Row(Code.DEQUANTISE, List.of(0), List.of(1), List.of(2))),
            Map.entry("Cast", new Row(Code.TO_FLOAT, List.of(0), List.of(), List.of())),
            Map.entry("Add", elementwise(Code.ADD, 0, 1)),
            Map.entry("Sub", elementwise(Code.SUBTRACT, 0, 1)),
            Map.entry("Mul", elementwise(Code.MULTIPLY, 0, 1)),
            Map.entry("Max", elementwise(Code.MAXIMUM, 0, 1)),
            Map.entry("Relu", elementwise(Code.RELU, 0)),
            Map.entry("Neg", elementwise(Code.NEGATE, 0)));

    private NpuOperators() {}

    /**
     * An operator.
     *
     * @param operands the inputs that are tensors in registers
     * @param scales the inputs that are scales
     * @param zeros the inputs that are zero points
     */
    private record Row(Code code, List<Integer> operands, List<Integer> scales, List<Integer> zeros) {}

    private static Row elementwise(Code code, Integer... operands) {
        return new Row(code, List.of(operands), List.of(), List.of());
    }

    private static Row row(Node node) {
        Row row = ROWS.get(node.op().name());
        if (row == null) {
            throw new IllegalArgumentException(node.describe() + " is no operator of the NPU");
        }
        return row;
    }

    static Code code(Node node) {
        return row(node).code;
    }

    static List<Integer> operands(Node node) {
        return row(node).operands;
    }

    static List<Integer> scales(Node node) {
        return row(node).scales;
    }

    static List<Integer> zeros(Node node) {
        return row(node).zeros;
    }

    /** Whether the NPU runs a node: its operator, its types, and constants where the NPU wants constants. */
    static boolean isSupported(Node node) {
        if (!node.op().equals(OpId.onnx(node.op().name()))
                || node.opset() < OPSET
                || !ROWS.containsKey(node.op().name())) {
            return false;
        }
        Row row = row(node);
        return row.scales.stream().allMatch(index -> isScalar(node, index, ElementType.FLOAT))
                && row.zeros.stream().allMatch(index -> node.input(index) == null || isScalar(node, index, null))
                && hasTypes(node, row);
    }

    private static boolean hasTypes(Node node, Row row) {
        return switch (row.code) {
            case PRODUCT, SCALED_PRODUCT ->
                isBytes(node.input(row.operands.get(0)))
                        && isBatch(node.requireInput(row.operands.get(0)))
                        && isMatrix(node.requireInput(row.operands.get(1)));
            case QUANTISE -> isFloat(node.input(0)) && isBytes(node.output(0));
            case DEQUANTISE -> isBytes(node.input(0)) && isFloat(node.output(0));
            case TO_FLOAT -> hasType(node.input(0), NpuInstruction.INT) && isFloat(node.output(0));
            case ADD, SUBTRACT, MULTIPLY, MAXIMUM, RELU, NEGATE ->
                node.inputs().size() == row.operands.size()
                        && node.inputs().stream().allMatch(NpuOperators::isFloat);
        };
    }

    private static boolean isScalar(Node node, int index, @Nullable ElementType type) {
        Value value = node.input(index);
        Tensor constant = value == null ? null : value.constant();
        return constant != null
                && constant.elements() == 1
                && (type == null ? NpuInstruction.BYTES.contains(constant.type()) : constant.type() == type);
    }

    private static boolean isBatch(Value value) {
        SymbolicShape shape = value.shape();
        return shape != null && shape.rank() >= 2;
    }

    private static boolean isMatrix(Value value) {
        Tensor constant = value.constant();
        return constant != null && constant.shape().rank() == 2 && NpuInstruction.BYTES.contains(constant.type());
    }

    private static boolean isBytes(@Nullable Value value) {
        return hasType(value, NpuInstruction.BYTES);
    }

    private static boolean isFloat(@Nullable Value value) {
        return hasType(value, NpuInstruction.FLOAT);
    }

    private static boolean hasType(@Nullable Value value, Set<ElementType> types) {
        return value != null && value.elementType() != null && types.contains(value.elementType());
    }
}
