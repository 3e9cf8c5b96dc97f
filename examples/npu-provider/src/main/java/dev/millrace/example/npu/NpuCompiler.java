package dev.millrace.example.npu;

import dev.millrace.example.npu.NpuInstruction.Code;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Compiles a partition to a program of the NPU. */
final class NpuCompiler {
    private final List<ElementType> types = new ArrayList<>();
    private final List<NpuProgram.Constant> constants = new ArrayList<>();
    private final List<NpuInstruction> instructions = new ArrayList<>();
    private final Map<Value, Integer> registers = new HashMap<>();

    private NpuCompiler() {}

    static NpuProgram compile(Graph graph) {
        var compiler = new NpuCompiler();
        graph.inputs().forEach(compiler::register);
        graph.nodes().forEach(compiler::addConstants);
        graph.nodes().forEach(compiler::add);
        List<Integer> outputs =
                graph.outputs().stream().map(compiler.registers::get).toList();
        return new NpuProgram(
                compiler.types, graph.inputs().size(), compiler.constants, compiler.instructions, outputs);
    }

    private int register(Value value) {
        types.add(Objects.requireNonNull(value.elementType()));
        registers.put(value, types.size() - 1);
        return types.size() - 1;
    }

    /** Adds the constants that a node reads as tensors, and not as a scale or a zero point. */
    private void addConstants(Node node) {
        for (int index : NpuOperators.operands(node)) {
            Value value = node.requireInput(index);
            Tensor tensor = value.constant();
            if (tensor != null && !registers.containsKey(value)) {
                boolean isMatrix =
                        NpuOperators.code(node) == Code.PRODUCT || NpuOperators.code(node) == Code.SCALED_PRODUCT;
                constants.add(new NpuProgram.Constant(tensor.shape(), isMatrix ? columns(tensor) : tensor.segment()));
                register(value);
            }
        }
    }

    /** Returns a matrix of bytes column by column, as the matrix unit reads it. */
    private static MemorySegment columns(Tensor matrix) {
        long rows = matrix.shape().dim(0);
        long columns = matrix.shape().dim(1);
        MemorySegment from = matrix.segment();
        MemorySegment to = Arena.ofAuto().allocate(rows * columns, 64);
        for (long row = 0; row < rows; row++) {
            for (long column = 0; column < columns; column++) {
                to.set(
                        ValueLayout.JAVA_BYTE,
                        column * rows + row,
                        from.get(ValueLayout.JAVA_BYTE, row * columns + column));
            }
        }
        return to;
    }

    private void add(Node node) {
        List<Integer> inputs = NpuOperators.operands(node).stream()
                .map(index -> registers.get(node.requireInput(index)))
                .toList();
        List<Float> scales = NpuOperators.scales(node).stream()
                .map(index -> (float) Elements.getDouble(
                        ElementType.FLOAT, constant(node, index).segment(), 0))
                .toList();
        List<Integer> zeros = NpuOperators.zeros(node).stream()
                .map(index -> zero(node, index))
                .toList();
        int output = register(node.requireOutput(0));
        instructions.add(new NpuInstruction(NpuOperators.code(node), inputs, output, scales, zeros));
    }

    private static Tensor constant(Node node, int index) {
        return Objects.requireNonNull(node.requireInput(index).constant());
    }

    /** The zero point at an input; 0 where it is left out. */
    private static int zero(Node node, int index) {
        if (node.input(index) == null) {
            return 0;
        }
        Tensor zero = constant(node, index);
        return (int) Elements.getLong(zero.type(), zero.segment(), 0);
    }
}
