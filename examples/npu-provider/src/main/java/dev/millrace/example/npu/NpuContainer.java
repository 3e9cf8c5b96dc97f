package dev.millrace.example.npu;

import dev.millrace.example.npu.NpuInstruction.Code;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.spi.CompiledGraph;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The container of a program: a header with the version of the format, the driver and the hardware, and the program with
 * its constants by number. A container comes from outside, so each number in it is checked.
 */
final class NpuContainer {
    private static final int MAGIC = 0x4e505531;
    private static final int FORMAT = 1;
    private static final int MOST = 1 << 16;
    private static final int MOST_AXES = 8;
    private static final Set<ElementType> TYPES =
            Set.of(ElementType.FLOAT, ElementType.INT32, ElementType.INT8, ElementType.UINT8);

    private NpuContainer() {}

    static byte[] write(NpuProgram program, NpuTarget target) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            for (int number : new int[] {MAGIC, FORMAT, target.driver(), target.generation(), program.inputs()}) {
                out.writeInt(number);
            }
            writeAll(out, program.types().stream().map(ElementType::code).toList());
            out.writeInt(program.constants().size());
            for (NpuProgram.Constant each : program.constants()) {
                long[] dims = each.shape().toArray();
                out.writeInt(dims.length);
                for (long dim : dims) {
                    out.writeInt(Math.toIntExact(dim));
                }
            }
            out.writeInt(program.instructions().size());
            for (NpuInstruction each : program.instructions()) {
                out.writeInt(each.code().ordinal());
                writeAll(out, each.inputs());
                out.writeInt(each.output());
                writeAll(
                        out,
                        each.scales().stream().map(Float::floatToRawIntBits).toList());
                writeAll(out, each.zeros());
            }
            writeAll(out, program.outputs());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void writeAll(DataOutputStream out, List<Integer> numbers) throws IOException {
        out.writeInt(numbers.size());
        for (int number : numbers) {
            out.writeInt(number);
        }
    }

    /** Reads a container that was kept. A container for another driver or other hardware is refused. */
    static NpuProgram read(CompiledGraph graph, NpuTarget here) {
        ByteBuffer in = graph.plan().asByteBuffer();
        try {
            check(in.getInt() == MAGIC && in.getInt() == FORMAT, "it is no container of format " + FORMAT);
            int driver = in.getInt();
            check(driver == here.driver(), "it is for driver " + driver + ", and this is driver " + here.driver());
            int generation = in.getInt();
            check(
                    generation == here.generation(),
                    "it is for generation " + generation + ", and this is generation " + here.generation());
            return program(in, graph);
        } catch (BufferUnderflowException _) {
            throw refused("it ends too early");
        } catch (ArithmeticException _) {
            throw refused("a constant is too large");
        }
    }

    private static NpuProgram program(ByteBuffer in, CompiledGraph graph) {
        int inputs = count(in);
        List<ElementType> types =
                numbers(in).stream().map(ElementType::requireCode).toList();
        check(TYPES.containsAll(types), "it has registers of the types " + types);
        var constants = new ArrayList<NpuProgram.Constant>();
        int all = count(in);
        check(all == graph.segmentCount() && inputs + all <= types.size(), "it has " + all + " constants");
        for (int i = 0; i < all; i++) {
            constants.add(constant(in, types.get(inputs + i), graph.segment(i)));
        }
        var instructions = new ArrayList<NpuInstruction>();
        var written = new BitSet();
        written.set(0, inputs + all);
        for (int i = count(in); i > 0; i--) {
            NpuInstruction instruction = instruction(in);
            int output = instruction.output();
            check(isWritten(instruction.inputs(), written), "an instruction reads what nothing has written");
            check(output >= inputs + all && output < types.size(), "there is no register " + output + " to write");
            check(instruction.isComplete(types), "an instruction has other operands than it wants");
            written.set(output);
            instructions.add(instruction);
        }
        List<Integer> outputs = numbers(in);
        check(isWritten(outputs, written), "nothing has written a result");
        return new NpuProgram(types, inputs, constants, instructions, outputs);
    }

    private static boolean isWritten(List<Integer> registers, BitSet written) {
        return registers.stream().allMatch(each -> each >= 0 && written.get(each));
    }

    private static NpuProgram.Constant constant(ByteBuffer in, ElementType type, MemorySegment data) {
        long[] dims = numbers(in).stream().mapToLong(Integer::longValue).toArray();
        check(LongStream.of(dims).allMatch(each -> each >= 0) && dims.length <= MOST_AXES, "a constant has no shape");
        long elements = LongStream.of(dims).reduce(1, Math::multiplyExact);
        check(elements <= data.byteSize() && type.bytes(elements) == data.byteSize(), "a constant has another size");
        return new NpuProgram.Constant(Shape.of(dims), data);
    }

    private static NpuInstruction instruction(ByteBuffer in) {
        int code = in.getInt();
        check(code >= 0 && code < Code.values().length, "there is no instruction " + code);
        List<Integer> inputs = numbers(in);
        int output = in.getInt();
        List<Float> scales = numbers(in).stream().map(Float::intBitsToFloat).toList();
        return new NpuInstruction(Code.values()[code], inputs, output, scales, numbers(in));
    }

    private static List<Integer> numbers(ByteBuffer in) {
        var numbers = new ArrayList<Integer>();
        for (int i = count(in); i > 0; i--) {
            numbers.add(in.getInt());
        }
        return numbers;
    }

    private static int count(ByteBuffer in) {
        int count = in.getInt();
        check(count >= 0 && count <= MOST, "a count is " + count);
        return count;
    }

    private static void check(boolean isRight, String otherwise) {
        if (!isRight) {
            throw refused(otherwise);
        }
    }

    private static EngineException refused(String why) {
        return EngineException.invalidGraph("the NPU cannot run this container: " + why + "; compile the model again");
    }
}
