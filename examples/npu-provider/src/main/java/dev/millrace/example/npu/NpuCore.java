package dev.millrace.example.npu;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The units that the NPU computes with: a matrix unit for bytes, converters and a vector unit for floats. */
final class NpuCore {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final NpuProgram program;
    private final Shape[] shapes;
    private final MemorySegment[] memory;

    private NpuCore(NpuProgram program, Shape[] shapes, MemorySegment[] memory) {
        this.program = program;
        this.shapes = shapes;
        this.memory = memory;
    }

    /**
     * Runs all instructions of a program.
     *
     * @param memory the memory of each register
     * @param micros how long an instruction takes at least
     */
    static void run(NpuProgram program, Shape[] shapes, MemorySegment[] memory, int micros) {
        var core = new NpuCore(program, shapes, memory);
        for (NpuInstruction each : program.instructions()) {
            if (micros > 0) {
                LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(micros));
            }
            core.run(each);
        }
    }

    private void run(NpuInstruction instruction) {
        switch (instruction.code()) {
            case PRODUCT, SCALED_PRODUCT -> multiply(instruction);
            case QUANTISE, DEQUANTISE, TO_FLOAT -> convert(instruction);
            case ADD, SUBTRACT, MULTIPLY, MAXIMUM, RELU, NEGATE -> vector(instruction);
        }
    }

    private ElementType type(int register) {
        return program.types().get(register);
    }

    private void multiply(NpuInstruction instruction) {
        int left = instruction.inputs().get(0);
        int right = instruction.inputs().get(1);
        long depth = shapes[right].dim(0);
        long columns = shapes[right].dim(1);
        long rows = shapes[instruction.output()].elements() / Math.max(1, columns);
        for (long row = 0; row < rows; row++) {
            for (long column = 0; column < columns; column++) {
                int sum = 0;
                for (long i = 0; i < depth; i++) {
                    int a = number(left, row * depth + i) - instruction.zeros().get(0);
                    int b = number(right, column * depth + i)
                            - instruction.zeros().get(1);
                    sum += a * b;
                }
                store(instruction, row * columns + column, sum);
            }
        }
    }

    private int number(int register, long index) {
        byte bits = memory[register].get(ValueLayout.JAVA_BYTE, index);
        return type(register) == ElementType.UINT8 ? Byte.toUnsignedInt(bits) : bits;
    }

    private void store(NpuInstruction instruction, long index, int sum) {
        if (instruction.code() == NpuInstruction.Code.PRODUCT) {
            memory[instruction.output()].set(INT, 4 * index, sum);
        } else {
            double factor = (double) instruction.scales().get(0)
                    / instruction.scales().get(2)
                    * instruction.scales().get(1);
            round(instruction.output(), index, sum * factor, instruction.zeros().get(2));
        }
    }

    /** Stores a number of steps as a byte: to nearest even, shifted by the zero point, within the range. */
    private void round(int register, long index, double steps, int zero) {
        boolean isSigned = type(register) == ElementType.INT8;
        double number = Math.clamp(Math.rint(steps) + zero, isSigned ? -128 : 0, isSigned ? 127 : 255);
        memory[register].set(ValueLayout.JAVA_BYTE, index, (byte) (int) number);
    }

    private void convert(NpuInstruction instruction) {
        int from = instruction.inputs().getFirst();
        int to = instruction.output();
        for (long i = 0; i < shapes[to].elements(); i++) {
            switch (instruction.code()) {
                case QUANTISE -> {
                    float steps = memory[from].get(FLOAT, 4 * i)
                            / instruction.scales().getFirst();
                    round(to, i, steps, instruction.zeros().getFirst());
                }
                case DEQUANTISE -> {
                    int steps = number(from, i) - instruction.zeros().getFirst();
                    memory[to].set(FLOAT, 4 * i, steps * instruction.scales().getFirst());
                }
                default -> memory[to].set(FLOAT, 4 * i, memory[from].get(INT, 4 * i));
            }
        }
    }

    private void vector(NpuInstruction instruction) {
        int left = instruction.inputs().getFirst();
        int right = instruction.inputs().getLast();
        Shape shape = shapes[instruction.output()];
        long[] leftSteps = steps(shapes[left], shape);
        long[] rightSteps = steps(shapes[right], shape);
        for (long i = 0; i < shape.elements(); i++) {
            float a = memory[left].get(FLOAT, 4 * place(i, shape, leftSteps));
            float b = memory[right].get(FLOAT, 4 * place(i, shape, rightSteps));
            memory[instruction.output()].set(FLOAT, 4 * i, compute(instruction.code(), a, b));
        }
    }

    private static float compute(NpuInstruction.Code code, float a, float b) {
        return switch (code) {
            case ADD -> a + b;
            case SUBTRACT -> a - b;
            case MULTIPLY -> a * b;
            case MAXIMUM -> Math.max(a, b);
            case RELU -> Math.max(a, 0);
            case NEGATE -> -a;
            default -> throw new IllegalArgumentException(code + " is none of the vector unit");
        };
    }

    /** The strides of an operand along the axes of the result: 0 where it is broadcast. */
    private static long[] steps(Shape operand, Shape result) {
        long[] own = operand.strides();
        long[] steps = new long[result.rank()];
        int shift = result.rank() - operand.rank();
        for (int axis = shift; axis < steps.length; axis++) {
            steps[axis] = operand.dim(axis - shift) == 1 ? 0 : own[axis - shift];
        }
        return steps;
    }

    private static long place(long index, Shape result, long[] steps) {
        long left = index;
        long place = 0;
        for (int axis = steps.length - 1; axis >= 0; axis--) {
            place += left % result.dim(axis) * steps[axis];
            left /= result.dim(axis);
        }
        return place;
    }
}
