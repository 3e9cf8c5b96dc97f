package dev.millrace.example.npu;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A compiled partition: instructions over registers, each of which holds a tensor. The first registers are the inputs, the
 * next ones the constants.
 *
 * @param types the types of the registers
 * @param inputs the number of inputs
 * @param outputs the registers of the results
 */
record NpuProgram(
        List<ElementType> types,
        int inputs,
        List<Constant> constants,
        List<NpuInstruction> instructions,
        List<Integer> outputs) {

    /** A constant as the NPU holds it: the right side of a product lies there column by column. */
    record Constant(Shape shape, MemorySegment data) {}

    NpuProgram {
        types = List.copyOf(types);
        constants = List.copyOf(constants);
        instructions = List.copyOf(instructions);
        outputs = List.copyOf(outputs);
    }

    /** Returns the shapes of all registers, which follow from those of the inputs. */
    Shape[] shapes(List<Shape> ofInputs) {
        var shapes = new Shape[types.size()];
        for (int i = 0; i < inputs; i++) {
            shapes[i] = ofInputs.get(i);
        }
        for (int i = 0; i < constants.size(); i++) {
            shapes[inputs + i] = constants.get(i).shape();
        }
        for (NpuInstruction each : instructions) {
            shapes[each.output()] = shape(each, shapes);
        }
        return shapes;
    }

    private static Shape shape(NpuInstruction instruction, Shape[] shapes) {
        Shape first = shapes[instruction.inputs().getFirst()];
        return switch (instruction.code()) {
            case PRODUCT, SCALED_PRODUCT ->
                product(first, shapes[instruction.inputs().get(1)]);
            case QUANTISE, DEQUANTISE, TO_FLOAT, RELU, NEGATE -> first;
            case ADD, SUBTRACT, MULTIPLY, MAXIMUM ->
                Shape.broadcast(first, shapes[instruction.inputs().get(1)]);
        };
    }

    private static Shape product(Shape left, Shape right) {
        if (left.rank() == 0 || right.rank() != 2 || left.dimAt(-1) != right.dim(0)) {
            throw EngineException.invalidArgument("there is no product of " + left + " by " + right);
        }
        return left.with(left.rank() - 1, right.dim(1));
    }
}
