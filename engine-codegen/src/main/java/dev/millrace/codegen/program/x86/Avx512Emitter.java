package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.ConvertOps;
import dev.millrace.codegen.asm.FloatOps;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Mask;
import dev.millrace.codegen.asm.MaskOps;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.MoveOps;
import dev.millrace.codegen.asm.Op;
import dev.millrace.codegen.asm.Operand;
import dev.millrace.codegen.asm.PackedOps;
import dev.millrace.codegen.asm.ScalarOps;
import dev.millrace.codegen.asm.ShuffleOps;
import dev.millrace.codegen.asm.Vec;
import dev.millrace.codegen.asm.Width;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Step;

/** Emits AVX-512 code with sixteen lanes; masks are in mask registers. */
final class Avx512Emitter extends StepEmitter {
    /** The number of bytes of the doubles in a vector. */
    private static final int DOUBLES_BYTES = 64;

    private static final int DOUBLES = 8;

    /** The mask register for the temporary needs of a step: variables have k1 to k6. */
    private static final Mask LEFT = new Mask(7);

    Avx512Emitter(Assembler assembler, Registers registers) {
        super(assembler, registers, Width.Z);
    }

    static int temporaries(Step step) {
        if (step instanceof Step.Load load && load.element() == Element.F64
                || step instanceof Step.Store store && store.element() == Element.F64) {
            return 1;
        }
        return step instanceof Step.Reduce
                        || step instanceof Step.Permute
                        || step instanceof Step.Gather
                        || step instanceof Step.StorePart part && isInside(part)
                ? 1
                : 0;
    }

    private Mask mask(MaskVar variable) {
        return new Mask(registers.of(variable));
    }

    @Override
    Mem constant(int bits) {
        return assembler.constant(bits).toAllLanes();
    }

    @Override
    Op roundOp() {
        return FloatOps.VRNDSCALEPS;
    }

    @Override
    Op logicOp(BinaryOp op) {
        return op == BinaryOp.AND ? PackedOps.VPANDD : op == BinaryOp.OR ? PackedOps.VPORD : PackedOps.VPXORD;
    }

    @Override
    Op blockOp() {
        return ShuffleOps.VSHUFF32X4;
    }

    @Override
    Imm blockChoice(BinaryOp op) {
        return Imm.of(op == BinaryOp.EVEN_BLOCKS ? 0x88 : 0xdd);
    }

    @Override
    Op extractOp() {
        return MoveOps.VEXTRACTF32X4;
    }

    @Override
    void scale(Step.Binary step) {
        emit(FloatOps.VSCALEFPS, vector(step.to()), operand(step.a()), operand(step.b()));
    }

    @Override
    void ask(Op comparison, Vec to, Operand... operands) {
        emit(comparison, answering(LEFT, operands));
        emit(MaskOps.VPMOVM2Q, to, LEFT);
    }

    @Override
    void exchange(Vec to, Vec from, int distance) {
        switch (distance) {
            case 8 -> emit(ShuffleOps.VSHUFF32X4, to, from, from, Imm.of(0x4e));
            case 4 -> emit(ShuffleOps.VSHUFF32X4, to, from, from, Imm.of(0xb1));
            case 2 -> emit(ShuffleOps.VPERMILPS, to, from, Imm.of(0x4e));
            default -> emit(ShuffleOps.VPERMILPS, to, from, Imm.of(0xb1));
        }
    }

    @Override
    public void compare(Step.Compare step) {
        if (step.op().isOfInts()) {
            emit(comparison(step.op()), mask(step.to()), operand(step.a()), operand(step.b()));
            return;
        }
        Imm predicate = Imm.of(predicate(step.op()));
        emit(FloatOps.VCMPPS, mask(step.to()), operand(step.a()), operand(step.b()), predicate);
    }

    @Override
    public void select(Step.Select step) {
        Vec to = vector(step.to());
        emit(FloatOps.VBLENDMPS, to.masked(mask(step.mask())), operand(step.otherwise()), operand(step.then()));
    }

    @Override
    public void load(Step.Load step) {
        Vec to = vector(step.to());
        if (step.element() == Element.F64) {
            loadDoubles(step);
        } else if (step.mask() == null) {
            emit(widening(step.element()), to, memory(step.from()));
        } else {
            emit(widening(step.element()), to.zeroing(mask(step.mask())), memory(step.from()));
        }
    }

    private void loadDoubles(Step.Load step) {
        Vec to = vector(step.to());
        Vec high = vector(registers.temporaries(number())[0]);
        for (int half = 0; half < 2; half++) {
            Vec doubles = half == 0 ? to : high;
            Mem from = memory(step.from().plus(half * DOUBLES_BYTES));
            if (step.mask() == null) {
                emit(ConvertOps.VCVTPD2PS, doubles.as(Width.Y), from);
            } else {
                emit(MoveOps.VMOVUPD, doubles.zeroing(maskOfDoubles(step.mask(), half)), from);
                emit(ConvertOps.VCVTPD2PS, doubles.as(Width.Y), doubles);
            }
        }
        emit(MoveOps.VINSERTF64X4, to, to, high.as(Width.Y), Imm.of(1));
    }

    private Mask maskOfDoubles(MaskVar mask, int half) {
        if (half == 0) {
            return mask(mask);
        }
        emit(MaskOps.KSHIFTRW, LEFT, mask(mask), Imm.of(DOUBLES));
        return LEFT;
    }

    private void storeDoubles(Step.Store step) {
        Vec from = vector(step.from());
        Vec doubles = vector(registers.temporaries(number())[0]);
        Vec part = from.as(Width.Y);
        for (int half = 0; half < 2; half++) {
            if (half == 1) {
                part = doubles.as(Width.Y);
                emit(MoveOps.VEXTRACTF64X4, part, from, Imm.of(1));
            }
            emit(ConvertOps.VCVTPS2PD, doubles, part);
            Mem to = memory(step.to().plus(half * DOUBLES_BYTES));
            if (step.mask() == null) {
                emit(wholeStore(step), to, doubles);
            } else {
                emit(MoveOps.VMOVUPD, to.masked(maskOfDoubles(step.mask(), half)), doubles);
            }
        }
    }

    @Override
    public void store(Step.Store step) {
        if (step.element() == Element.F64) {
            storeDoubles(step);
            return;
        }
        Mem memory = memory(step.to());
        Operand to = step.mask() == null ? memory : memory.masked(mask(step.mask()));
        Vec from = vector(step.from());
        switch (step.element()) {
            case U8 -> emit(PackedOps.VPMOVDB, to, from);
            case U16 -> emit(PackedOps.VPMOVDW, to, from);
            case F16 -> emit(ConvertOps.VCVTPS2PH, to, from, Imm.of(0));
            default -> emit(wholeStore(step), to, from);
        }
    }

    /** Emits a gather, whose instruction needs different registers and clears its mask. */
    @Override
    public void gather(Step.Gather step) {
        Vec gathered = vector(registers.temporaries(number())[0]);
        if (step.mask() == null) {
            emit(MaskOps.KXNORW, LEFT, LEFT, LEFT);
        } else {
            emit(MaskOps.KMOVW, LEFT, mask(step.mask()));
        }
        emit(PackedOps.VPXORD, gathered, gathered, gathered);
        Mem from = Mem.at(scalar(step.base()), vector(step.indices()), 4, 0);
        emit(MoveOps.VGATHERDPS, gathered.masked(LEFT), from);
        emit(MoveOps.VMOVAPS, vector(step.to()), gathered);
    }

    @Override
    public void prefixMask(Step.FirstLanes step) {
        Gpr ones = Registers.SCRATCH.dword();
        emit(ScalarOps.MOV, ones, Imm.of(-1));
        emit(ScalarOps.BZHI, ones, ones, scalar(step.count()).dword());
        emit(MaskOps.KMOVW, mask(step.to()), ones);
    }

    @Override
    public void movemask(Step.LaneBits step) {
        emit(MaskOps.KMOVW, scalar(step.to()).dword(), mask(step.from()));
    }
}
