package dev.millrace.kernels.program.x86;

import dev.millrace.kernels.asm.Assembler;
import dev.millrace.kernels.asm.ConvertOps;
import dev.millrace.kernels.asm.FloatOps;
import dev.millrace.kernels.asm.Imm;
import dev.millrace.kernels.asm.Mem;
import dev.millrace.kernels.asm.MoveOps;
import dev.millrace.kernels.asm.Op;
import dev.millrace.kernels.asm.PackedOps;
import dev.millrace.kernels.asm.ShuffleOps;
import dev.millrace.kernels.asm.Vec;
import dev.millrace.kernels.asm.Width;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Step;
import java.util.Arrays;

/** Eight lanes; masks are vectors of ones and zeros. */
final class Avx2Emitter extends StepEmitter {
    private static final int LANES = 8;
    private static final int EXPONENT_OF_ONE = 0x3f800000;
    private static final int MANTISSA_BITS = 23;

    Avx2Emitter(Assembler assembler, Registers registers) {
        super(assembler, registers, Width.Y);
    }

    static int temporaries(Step step) {
        if (step instanceof Step.Binary binary && binary.op() == BinaryOp.SCALE) {
            return 2;
        }
        return step instanceof Step.Reduce ? 1 : 0;
    }

    private Vec mask(MaskVar variable) {
        return vector(registers.of(variable));
    }

    @Override
    Mem constant(int bits) {
        int[] lanes = new int[LANES];
        Arrays.fill(lanes, bits);
        return assembler.constant(lanes);
    }

    @Override
    Op roundOp() {
        return FloatOps.VROUNDPS;
    }

    @Override
    Op logicOp(BinaryOp op) {
        return op == BinaryOp.AND ? FloatOps.VANDPS : op == BinaryOp.OR ? FloatOps.VORPS : FloatOps.VXORPS;
    }

    /** Multiplies by two powers of two, since one alone may be beyond the exponents of floats. */
    @Override
    void scale(Step.Binary step) {
        int[] temporaries = registers.temporaries(number());
        Vec first = vector(temporaries[0]);
        Vec second = vector(temporaries[1]);
        Mem one = constant(EXPONENT_OF_ONE);
        Imm toExponent = Imm.of(MANTISSA_BITS);
        emit(ConvertOps.VCVTPS2DQ, first, operand(step.b()));
        emit(PackedOps.VPSRAD, second, first, Imm.of(1));
        emit(PackedOps.VPSUBD, first, first, second);
        emit(PackedOps.VPSLLD, first, first, toExponent);
        emit(PackedOps.VPSLLD, second, second, toExponent);
        emit(PackedOps.VPADDD, first, first, one);
        emit(PackedOps.VPADDD, second, second, one);
        Vec to = vector(step.to());
        emit(FloatOps.VMULPS, to, first, operand(step.a()));
        emit(FloatOps.VMULPS, to, to, second);
    }

    @Override
    void exchange(Vec to, Vec from, int distance) {
        switch (distance) {
            case 4 -> emit(ShuffleOps.VPERM2F128, to, from, from, Imm.of(0x01));
            case 2 -> emit(ShuffleOps.VPERMILPS, to, from, Imm.of(0x4e));
            default -> emit(ShuffleOps.VPERMILPS, to, from, Imm.of(0xb1));
        }
    }

    @Override
    public void compare(Step.Compare step) {
        Imm predicate = Imm.of(predicate(step.op()));
        emit(FloatOps.VCMPPS, mask(step.to()), operand(step.a()), operand(step.b()), predicate);
    }

    @Override
    public void select(Step.Select step) {
        emit(FloatOps.VBLENDVPS, vector(step.to()), operand(step.otherwise()), operand(step.then()), mask(step.mask()));
    }

    @Override
    public void load(Step.Load step) {
        if (step.mask() == null) {
            emit(MoveOps.VMOVUPS, vector(step.to()), memory(step.from()));
        } else {
            emit(MoveOps.VMASKMOVPS, vector(step.to()), mask(step.mask()), memory(step.from()));
        }
    }

    @Override
    public void store(Step.Store step) {
        if (step.mask() == null) {
            emit(MoveOps.VMOVUPS, memory(step.to()), vector(step.from()));
        } else {
            emit(MoveOps.VMASKMOVPS, memory(step.to()), mask(step.mask()), vector(step.from()));
        }
    }

    @Override
    public void firstLanes(Step.FirstLanes step) {
        Vec to = mask(step.to());
        emit(MoveOps.VMOVD, to.as(Width.X), scalar(step.count()).dword());
        emit(MoveOps.VPBROADCASTD, to, to.as(Width.X));
        emit(PackedOps.VPCMPGTD, to, to, assembler.constant(0, 1, 2, 3, 4, 5, 6, 7));
    }
}
