package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.Cond;
import dev.millrace.codegen.asm.ConvertOps;
import dev.millrace.codegen.asm.FloatOps;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Label;
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
import java.util.Arrays;

/** Emits AVX2 code with eight lanes; masks are vectors whose lanes have all bits set or none. */
final class Avx2Emitter extends StepEmitter {
    private static final int LANES = 8;
    /** The number of bytes of the doubles in a vector. */
    private static final int DOUBLES_BYTES = 32;
    /** 1.5 * 2^23 + 254: the bias of two exponents, in a float whose last place is 1. */
    private static final int TWO_BIASES = 0x4b4000fe;

    private static final int MANTISSA_BITS = 23;
    /**
     * The vpshufb indices that pack the lowest byte of each lane of a block, followed by zeros. {@link #LOW_WORDS}
     * packs the lowest two.
     */
    private static final int[] LOW_BYTES = {0x0c080400, -1, -1, -1, 0x0c080400, -1, -1, -1};

    private static final int[] LOW_WORDS = {0x05040100, 0x0d0c0908, -1, -1, 0x05040100, 0x0d0c0908, -1, -1};

    Avx2Emitter(Assembler assembler, Registers registers) {
        super(assembler, registers, Width.Y);
    }

    static int temporaries(Step step) {
        if (step instanceof Step.Binary binary && binary.op() == BinaryOp.SCALE) {
            return 2;
        }
        if (step instanceof Step.Load load && load.element() == Element.F64) {
            return 2;
        }
        if (step instanceof Step.Gather || step instanceof Step.Store store && store.element() != Element.WORD) {
            return 2;
        }
        return step instanceof Step.Reduce
                        || step instanceof Step.Permute
                        || step instanceof Step.StorePart part && isInside(part)
                ? 1
                : 0;
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

    @Override
    Op blockOp() {
        return ShuffleOps.VPERM2F128;
    }

    @Override
    Imm blockChoice(BinaryOp op) {
        return Imm.of(op == BinaryOp.EVEN_BLOCKS ? 0x20 : 0x31);
    }

    @Override
    Op extractOp() {
        return MoveOps.VEXTRACTF128;
    }

    /**
     * Multiplies by two powers of two, since a single one may be beyond the exponents of floats. The added constant
     * leaves the sum of both exponents, each with its bias, in the lowest bits.
     */
    @Override
    void scale(Step.Binary step) {
        int[] temporaries = registers.temporaries(number());
        Vec first = vector(temporaries[0]);
        Vec second = vector(temporaries[1]);
        Imm toExponent = Imm.of(MANTISSA_BITS);
        Vec to = vector(step.to());
        emit(MoveOps.VMOVUPS, first, constant(TWO_BIASES));
        emit(FloatOps.VADDPS, first, first, operand(step.b()));
        emit(PackedOps.VPSRLD, second, first, Imm.of(1));
        emit(PackedOps.VPSUBD, first, first, second);
        emit(PackedOps.VPSLLD, first, first, toExponent);
        emit(PackedOps.VPSLLD, second, second, toExponent);
        emit(FloatOps.VMULPS, to, first, operand(step.a()));
        emit(FloatOps.VMULPS, to, to, second);
    }

    @Override
    void ask(Op comparison, Vec to, Operand... operands) {
        emit(comparison, answering(to, operands));
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
        if (step.op().isOfInts()) {
            emit(comparison(step.op()), mask(step.to()), operand(step.a()), operand(step.b()));
            return;
        }
        Imm predicate = Imm.of(predicate(step.op()));
        emit(FloatOps.VCMPPS, mask(step.to()), operand(step.a()), operand(step.b()), predicate);
    }

    @Override
    public void select(Step.Select step) {
        emit(FloatOps.VBLENDVPS, vector(step.to()), operand(step.otherwise()), operand(step.then()), mask(step.mask()));
    }

    @Override
    public void load(Step.Load step) {
        if (step.element() == Element.F64) {
            loadDoubles(step);
        } else if (step.mask() == null) {
            emit(widening(step.element()), vector(step.to()), memory(step.from()));
        } else if (step.element() == Element.WORD) {
            emit(MoveOps.VMASKMOVPS, vector(step.to()), mask(step.mask()), memory(step.from()));
        } else {
            loadSome(step, mask(step.mask()));
        }
    }

    /**
     * Loads narrow elements, for which there are no masks: inserts them one by one, up to the first that is not in the
     * mask.
     */
    private void loadSome(Step.Load step, Vec mask) {
        Vec to = vector(step.to());
        Vec packed = to.as(Width.X);
        Op insert = step.element().bytes() == 1 ? MoveOps.VPINSRB : MoveOps.VPINSRW;
        Gpr included = Registers.SCRATCH.dword();
        emit(FloatOps.VMOVMSKPS, included, mask);
        emit(FloatOps.VXORPS, packed, packed, packed);
        Label end = new Label();
        for (int lane = 0; lane < LANES; lane++) {
            emit(ScalarOps.TEST, included, Imm.of(1 << lane));
            assembler.jump(Cond.EQUAL, end);
            Mem from = memory(step.from().plus(step.element().bytes() * lane));
            emit(insert, packed, packed, from, Imm.of(lane));
        }
        assembler.bind(end);
        emit(widening(step.element()), to, packed);
    }

    /** Loads doubles. The result is written last, since it may have the register of the mask. */
    private void loadDoubles(Step.Load step) {
        int[] temporaries = registers.temporaries(number());
        for (int half = 0; half < 2; half++) {
            Vec doubles = vector(temporaries[half]);
            Mem from = memory(step.from().plus(half * DOUBLES_BYTES));
            if (step.mask() == null) {
                emit(ConvertOps.VCVTPD2PS, doubles.as(Width.X), from);
            } else {
                maskOfDoubles(doubles, step.mask(), half);
                emit(MoveOps.VMASKMOVPD, doubles, doubles, from);
                emit(ConvertOps.VCVTPD2PS, doubles.as(Width.X), doubles);
            }
        }
        Vec high = vector(temporaries[1]).as(Width.X);
        emit(MoveOps.VINSERTF128, vector(step.to()), vector(temporaries[0]), high, Imm.of(1));
    }

    private void maskOfDoubles(Vec to, MaskVar mask, int half) {
        emit(PackedOps.VPMOVSXDQ, to, half(to, mask(mask), half));
    }

    /** Returns the lower or the upper half of a vector; the upper one is extracted to {@code room}. */
    private Vec half(Vec room, Vec of, int half) {
        if (half == 0) {
            return of.as(Width.X);
        }
        emit(MoveOps.VEXTRACTF128, room.as(Width.X), of, Imm.of(1));
        return room.as(Width.X);
    }

    private void storeDoubles(Step.Store step) {
        int[] temporaries = registers.temporaries(number());
        for (int half = 0; half < 2; half++) {
            Vec doubles = vector(temporaries[0]);
            Mem to = memory(step.to().plus(half * DOUBLES_BYTES));
            emit(ConvertOps.VCVTPS2PD, doubles, half(doubles, vector(step.from()), half));
            if (step.mask() == null) {
                emit(wholeStore(step), to, doubles);
            } else {
                Vec included = vector(temporaries[1]);
                maskOfDoubles(included, step.mask(), half);
                emit(MoveOps.VMASKMOVPD, to, included, doubles);
            }
        }
    }

    @Override
    public void store(Step.Store step) {
        if (step.element() == Element.F64) {
            storeDoubles(step);
        } else if (step.element() != Element.WORD) {
            storeNarrow(step);
        } else if (step.mask() == null) {
            emit(wholeStore(step), memory(step.to()), vector(step.from()));
        } else {
            emit(MoveOps.VMASKMOVPS, memory(step.to()), mask(step.mask()), vector(step.from()));
        }
    }

    private void storeNarrow(Step.Store step) {
        Vec packed = packed(step.element(), vector(step.from()));
        if (step.mask() == null) {
            Op store = step.element() == Element.U8 ? MoveOps.VMOVQ : MoveOps.VMOVDQU;
            emit(store, memory(step.to()), packed);
            return;
        }
        Op extract = step.element().bytes() == 1 ? MoveOps.VPEXTRB : MoveOps.VPEXTRW;
        Gpr included = Registers.SCRATCH.dword();
        emit(FloatOps.VMOVMSKPS, included, mask(step.mask()));
        Label end = new Label();
        for (int lane = 0; lane < LANES; lane++) {
            emit(ScalarOps.TEST, included, Imm.of(1 << lane));
            assembler.jump(Cond.EQUAL, end);
            Mem to = memory(step.to().plus(step.element().bytes() * lane));
            emit(extract, to, packed, Imm.of(lane));
        }
        assembler.bind(end);
    }

    /** Packs the elements into the lower part of a temporary. */
    private Vec packed(Element element, Vec from) {
        int[] temporaries = registers.temporaries(number());
        Vec all = vector(temporaries[0]);
        Vec low = all.as(Width.X);
        switch (element) {
            case F16 -> emit(ConvertOps.VCVTPS2PH, low, from, Imm.of(0));
            case U16 -> {
                emit(ShuffleOps.VPSHUFB, all, from, assembler.constant(LOW_WORDS));
                emit(ShuffleOps.VPERMQ, all, all, Imm.of(0x08));
            }
            default -> {
                Vec high = vector(temporaries[1]).as(Width.X);
                emit(ShuffleOps.VPSHUFB, all, from, assembler.constant(LOW_BYTES));
                emit(MoveOps.VEXTRACTI128, high, all, Imm.of(1));
                emit(ShuffleOps.VPUNPCKLDQ, low, low, high);
            }
        }
        return low;
    }

    /** Emits a gather, whose instruction needs three different registers and clears its mask. */
    @Override
    public void gather(Step.Gather step) {
        int[] temporaries = registers.temporaries(number());
        Vec gathered = vector(temporaries[0]);
        Vec left = vector(temporaries[1]);
        if (step.mask() == null) {
            emit(PackedOps.VPCMPEQD, left, left, left);
        } else {
            emit(MoveOps.VMOVAPS, left, mask(step.mask()));
        }
        emit(FloatOps.VXORPS, gathered, gathered, gathered);
        Mem from = Mem.at(scalar(step.base()), vector(step.indices()), 4, 0);
        emit(MoveOps.VGATHERDPS, gathered, from, left);
        emit(MoveOps.VMOVAPS, vector(step.to()), gathered);
    }

    @Override
    public void prefixMask(Step.FirstLanes step) {
        Vec to = mask(step.to());
        emit(MoveOps.VMOVD, to.as(Width.X), scalar(step.count()).dword());
        emit(MoveOps.VPBROADCASTD, to, to.as(Width.X));
        emit(PackedOps.VPCMPGTD, to, to, assembler.constant(0, 1, 2, 3, 4, 5, 6, 7));
    }

    @Override
    public void movemask(Step.LaneBits step) {
        emit(FloatOps.VMOVMSKPS, scalar(step.to()).dword(), mask(step.from()));
    }
}
