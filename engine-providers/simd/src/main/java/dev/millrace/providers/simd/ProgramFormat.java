package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.SimdProgram.Instruction;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Programs as bytes: a mark, the version of the format, the layout of the weights, then the program, counts before
 * lists, in big-endian numbers. Reading checks that the bytes are a program at all; {@link ProgramCheck} checks the
 * program.
 */
final class ProgramFormat {
    static final int VERSION = 1;

    private static final int MARK = 0x4d52_5350;
    private static final int LONGEST_NAME = 64;
    private static final int HIGHEST_RANK = 64;

    private static final int PRODUCT = 0;
    private static final int ELEMENTWISE = 1;

    private ProgramFormat() {}

    static byte[] write(SimdProgram program) {
        var bytes = new ByteArrayOutputStream();
        try (var to = new DataOutputStream(bytes)) {
            to.writeInt(MARK);
            to.writeInt(VERSION);
            to.writeInt(program.layout().length());
            to.writeBytes(program.layout());
            to.writeInt(program.inputs());
            to.writeInt(program.constants().size());
            for (SimdProgram.Constant constant : program.constants()) {
                to.writeInt(constant.segment());
                to.writeLong(constant.offset());
                to.writeInt(constant.shape().rank());
                for (long extent : constant.shape().toArray()) {
                    to.writeLong(extent);
                }
            }
            to.writeInt(program.instructions().size());
            for (Instruction instruction : program.instructions()) {
                write(instruction, to);
            }
            to.writeInt(program.outputs().size());
            for (int output : program.outputs()) {
                to.writeInt(output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static void write(Instruction instruction, DataOutputStream to) throws IOException {
        switch (instruction) {
            case SimdProgram.Product product -> {
                to.writeByte(PRODUCT);
                write(product.x(), to);
                to.writeInt(product.segment());
                to.writeLong(product.k());
                to.writeLong(product.n());
                Source bias = product.bias();
                to.writeBoolean(bias != null);
                if (bias != null) {
                    write(bias, to);
                }
                Expression expression = product.expression();
                to.writeBoolean(expression != null);
                if (expression != null) {
                    write(expression, to);
                }
            }
            case SimdProgram.Elementwise elementwise -> {
                to.writeByte(ELEMENTWISE);
                write(elementwise.expression(), to);
            }
        }
    }

    private static void write(Expression expression, DataOutputStream to) throws IOException {
        to.writeInt(expression.operands().size());
        for (Source operand : expression.operands()) {
            write(operand, to);
        }
        to.writeInt(expression.registers());
        to.writeInt(expression.steps().size());
        for (Expression.Step step : expression.steps()) {
            to.writeByte(step.op().code());
            to.writeInt(step.target());
            to.writeInt(step.a());
            to.writeInt(step.b());
            to.writeFloat(step.p());
            to.writeFloat(step.q());
        }
    }

    private static void write(Source source, DataOutputStream to) throws IOException {
        to.writeByte(source.kind().code());
        to.writeInt(source.index());
    }

    /** Reads a program; throws where the bytes are none, or of another version. */
    static SimdProgram read(MemorySegment bytes) {
        var from = new ByteReader(bytes);
        if (from.readInt() != MARK) {
            throw EngineException.invalidGraph("this is no compiled program of the provider 'simd'");
        }
        int version = from.readInt();
        if (version != VERSION) {
            throw EngineException.invalidGraph("the compiled program is of version " + version + ", but version "
                    + VERSION + " is what can be read; compile the model again");
        }
        String layout = from.readText(LONGEST_NAME);
        int inputs = from.readInt();
        var constants = new ArrayList<SimdProgram.Constant>();
        for (int i = from.readCount(16); i > 0; i--) {
            constants.add(new SimdProgram.Constant(from.readInt(), from.readLong(), readShape(from)));
        }
        var instructions = new ArrayList<Instruction>();
        for (int i = from.readCount(1); i > 0; i--) {
            instructions.add(readInstruction(from));
        }
        var outputs = new ArrayList<Integer>();
        for (int i = from.readCount(4); i > 0; i--) {
            outputs.add(from.readInt());
        }
        from.finish();
        return new SimdProgram(layout, inputs, constants, instructions, outputs);
    }

    private static Shape readShape(ByteReader from) {
        int rank = from.readCount(8);
        if (rank > HIGHEST_RANK) {
            throw EngineException.invalidGraph("the compiled program has a constant of rank " + rank);
        }
        long[] extents = new long[rank];
        for (int i = 0; i < rank; i++) {
            extents[i] = from.readLong();
            if (extents[i] < 0) {
                throw EngineException.invalidGraph("the compiled program has a constant of extent " + extents[i]);
            }
        }
        try {
            return Shape.of(extents);
        } catch (EngineException e) {
            throw EngineException.invalidGraph("the compiled program has a damaged constant: " + e.getMessage());
        }
    }

    private static Instruction readInstruction(ByteReader from) {
        int kind = from.readByte();
        return switch (kind) {
            case PRODUCT ->
                new SimdProgram.Product(
                        readSource(from),
                        from.readInt(),
                        from.readLong(),
                        from.readLong(),
                        from.readBoolean() ? readSource(from) : null,
                        from.readBoolean() ? readExpression(from) : null);
            case ELEMENTWISE -> new SimdProgram.Elementwise(readExpression(from));
            default -> throw EngineException.invalidGraph("the compiled program has an instruction of kind " + kind);
        };
    }

    private static Expression readExpression(ByteReader from) {
        List<Source> operands = new ArrayList<>();
        for (int i = from.readCount(5); i > 0; i--) {
            operands.add(readSource(from));
        }
        int registers = from.readInt();
        List<Expression.Step> steps = new ArrayList<>();
        for (int i = from.readCount(21); i > 0; i--) {
            int code = from.readByte();
            Op op = Op.ofCode(code);
            if (op == null) {
                throw EngineException.invalidGraph("the compiled program has a step of code " + code);
            }
            steps.add(new Expression.Step(
                    op, from.readInt(), from.readInt(), from.readInt(), from.readFloat(), from.readFloat()));
        }
        return new Expression(operands, steps, registers);
    }

    private static Source readSource(ByteReader from) {
        int code = from.readByte();
        Source.Kind kind = Source.Kind.ofCode(code);
        if (kind == null) {
            throw EngineException.invalidGraph("the compiled program has a source of kind " + code);
        }
        return new Source(kind, from.readInt());
    }
}
