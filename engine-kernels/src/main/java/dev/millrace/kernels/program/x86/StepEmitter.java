package dev.millrace.kernels.program.x86;

import dev.millrace.kernels.asm.Assembler;
import dev.millrace.kernels.asm.ConvertOps;
import dev.millrace.kernels.asm.FloatOps;
import dev.millrace.kernels.asm.FmaOps;
import dev.millrace.kernels.asm.Imm;
import dev.millrace.kernels.asm.Mem;
import dev.millrace.kernels.asm.MoveOps;
import dev.millrace.kernels.asm.Op;
import dev.millrace.kernels.asm.Operand;
import dev.millrace.kernels.asm.PackedOps;
import dev.millrace.kernels.asm.ScalarOps;
import dev.millrace.kernels.asm.Vec;
import dev.millrace.kernels.asm.Width;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Comparison;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.Step;
import dev.millrace.kernels.program.UnaryOp;
import dev.millrace.kernels.program.Value;
import dev.millrace.kernels.program.VectorVar;

/** Emits steps as instructions: what AVX2 and AVX-512 have in common. */
abstract class StepEmitter extends ScalarEmitter {
    /** Rounding modes of vroundps and vrndscaleps; 8 keeps the inexact flag still. */
    private static final int NEAREST = 8;

    private static final int DOWN = 9;
    private static final int UP = 10;
    private static final int TOWARDS_ZERO = 11;

    private final Width width;

    StepEmitter(Assembler assembler, Registers registers, Width width) {
        super(assembler, registers);
        this.width = width;
    }

    final Vec vector(VectorVar variable) {
        return vector(registers.of(variable));
    }

    final Vec vector(int number) {
        return new Vec(width, number);
    }

    /** A register, or the memory of a constant. */
    final Operand operand(Value value) {
        return value instanceof VectorVar variable ? vector(variable) : constant(((Constant) value).bits());
    }

    /** The memory of a constant as an operand of a vector instruction. */
    abstract Mem constant(int bits);

    abstract Op roundOp();

    abstract Op logicOp(BinaryOp op);

    abstract void scale(Step.Binary step);

    /** Exchanges halves, quarters, neighbours: lane i gets lane i xor distance. */
    abstract void exchange(Vec to, Vec from, int distance);

    static int predicate(Comparison op) {
        return switch (op) {
            case EQUAL -> 0;
            case LESS -> 0x11;
            case LESS_OR_EQUAL -> 0x12;
            case UNORDERED -> 3;
            case NOT_EQUAL -> 4;
            case GREATER_OR_EQUAL -> 0x1d;
            case GREATER -> 0x1e;
        };
    }

    private void move(Vec to, Value from) {
        if (from instanceof VectorVar variable) {
            if (registers.of(variable) != to.number()) {
                emit(MoveOps.VMOVAPS, to, vector(variable));
            }
        } else if (from.equals(Constant.ZERO)) {
            emit(logicOp(BinaryOp.XOR), to, to, to);
        } else {
            emit(MoveOps.VBROADCASTSS, to, assembler.constant(((Constant) from).bits()));
        }
    }

    @Override
    public void unary(Step.Unary step) {
        Vec to = vector(step.to());
        if (step.op() == UnaryOp.COPY) {
            move(to, step.a());
            return;
        }
        Operand a = operand(step.a());
        switch (step.op()) {
            case SQRT -> emit(FloatOps.VSQRTPS, to, a);
            case ROUND -> emit(roundOp(), to, a, Imm.of(NEAREST));
            case FLOOR -> emit(roundOp(), to, a, Imm.of(DOWN));
            case CEIL -> emit(roundOp(), to, a, Imm.of(UP));
            case TRUNCATE -> emit(roundOp(), to, a, Imm.of(TOWARDS_ZERO));
            case TO_INT -> emit(ConvertOps.VCVTPS2DQ, to, a);
            default -> emit(ConvertOps.VCVTDQ2PS, to, a);
        }
    }

    private Op binaryOp(BinaryOp op) {
        return switch (op) {
            case ADD -> FloatOps.VADDPS;
            case SUB -> FloatOps.VSUBPS;
            case MUL -> FloatOps.VMULPS;
            case DIV -> FloatOps.VDIVPS;
            case MIN -> FloatOps.VMINPS;
            case MAX -> FloatOps.VMAXPS;
            case INT_ADD -> PackedOps.VPADDD;
            case INT_SUB -> PackedOps.VPSUBD;
            case SHIFT_LEFT -> PackedOps.VPSLLD;
            case SHIFT_RIGHT -> PackedOps.VPSRLD;
            default -> logicOp(op);
        };
    }

    @Override
    public void binary(Step.Binary step) {
        if (step.op() == BinaryOp.SCALE) {
            scale(step);
            return;
        }
        Operand b = step.op().isShift() ? Imm.of(((Constant) step.b()).bits()) : operand(step.b());
        emit(binaryOp(step.op()), vector(step.to()), operand(step.a()), b);
    }

    /**
     * The three forms differ in which operand is overwritten: 231 the sum, 213 and 132 a factor. The last operand may
     * be memory.
     */
    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        Vec to = vector(step.to());
        boolean negated = step.negated();
        Operand a = operand(step.a());
        Operand b = operand(step.b());
        Operand c = operand(step.c());
        if (to.equals(b) && !to.equals(c)) {
            Operand swap = a;
            a = b;
            b = swap;
        }
        if (to.equals(a) && !to.equals(c)) {
            if (b instanceof Mem) {
                emit(negated ? FmaOps.VFNMADD132PS : FmaOps.VFMADD132PS, to, c, b);
            } else {
                emit(negated ? FmaOps.VFNMADD213PS : FmaOps.VFMADD213PS, to, b, c);
            }
            return;
        }
        move(to, step.c());
        boolean swap = a instanceof Mem;
        emit(negated ? FmaOps.VFNMADD231PS : FmaOps.VFMADD231PS, to, swap ? b : a, swap ? a : b);
    }

    @Override
    public void spread(Step.Spread step) {
        emit(MoveOps.VBROADCASTSS, vector(step.to()), memory(step.from()));
    }

    @Override
    public void reduce(Step.Reduce step) {
        Vec to = vector(step.to());
        Vec other = vector(registers.temporaries(number())[0]);
        move(to, step.from());
        for (int distance = width.bytes() / 8; distance > 0; distance /= 2) {
            exchange(other, to, distance);
            emit(binaryOp(step.op()), to, to, other);
        }
    }

    @Override
    public void prefetch(Step.Prefetch step) {
        emit(ScalarOps.PREFETCHT0, memory(step.at()));
    }

    final Mem memory(Address address) {
        return address.index() == null
                ? Mem.at(scalar(address.base()), address.displacement())
                : Mem.at(scalar(address.base()), scalar(address.index()), address.scale(), address.displacement());
    }
}
