package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.ConvertOps;
import dev.millrace.codegen.asm.FloatOps;
import dev.millrace.codegen.asm.FmaOps;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.MoveOps;
import dev.millrace.codegen.asm.Op;
import dev.millrace.codegen.asm.Operand;
import dev.millrace.codegen.asm.PackedOps;
import dev.millrace.codegen.asm.ScalarOps;
import dev.millrace.codegen.asm.ShuffleOps;
import dev.millrace.codegen.asm.Vec;
import dev.millrace.codegen.asm.Width;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.codegen.program.WideOp;

/** Emits steps as instructions: what AVX2 and AVX-512 have in common. */
abstract class StepEmitter extends ScalarEmitter {
    /** Rounding modes of vroundps and vrndscaleps; 8 keeps the inexact flag still. */
    private static final int NEAREST = 8;

    private static final int DOWN = 9;
    private static final int UP = 10;
    private static final int TOWARDS_ZERO = 11;
    /** Lanes of the blocks that vectors are made of. */
    private static final int BLOCK = 4;

    private final Width width;

    StepEmitter(Assembler assembler, Registers registers, Width width) {
        super(assembler, registers);
        this.width = width;
    }

    final Vec vector(VectorVar variable) {
        return vector(registers.of(variable));
    }

    final Vec vector(int number) {
        return Vec.of(width, number);
    }

    /** A register, or the memory of a constant. */
    final Operand operand(ProgramValue value) {
        return value instanceof VectorVar variable ? vector(variable) : constant(((Constant) value).bits());
    }

    /** The memory of a constant as an operand of a vector instruction. */
    abstract Mem constant(int bits);

    abstract Op roundOp();

    abstract Op logicOp(BinaryOp op);

    /** The instruction that joins blocks of four lanes, and how it is told to take every other one. */
    abstract Op blockOp();

    abstract Imm blockChoice(BinaryOp op);

    /** The instruction that takes one block of four lanes. */
    abstract Op extractOp();

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
            case INT_EQUAL, INT_GREATER -> throw new IllegalArgumentException(op.name());
        };
    }

    /** The instruction that stores whole vectors. */
    final Op wholeStore(Step.Store step) {
        if (!step.streamed()) {
            return MoveOps.VMOVUPS;
        }
        fenceAtEnd();
        return MoveOps.VMOVNTPS;
    }

    @Override
    public void storePart(Step.StorePart step) {
        Vec from = vector(step.from());
        Mem to = memory(step.to());
        if (isInside(step)) {
            Vec part = vector(registers.temporaries(number())[0]).as(Width.X);
            emit(extractOp(), part, from, Imm.of(step.first() / BLOCK));
            storeOfBlock(step, to, part);
        } else if (step.lanes() < BLOCK) {
            storeOfBlock(step, to, from.as(Width.X));
        } else if (step.first() == 0) {
            emit(MoveOps.VMOVUPS, to, from.as(step.lanes() == BLOCK ? Width.X : Width.Y));
        } else {
            Op extract = step.lanes() == BLOCK ? extractOp() : MoveOps.VEXTRACTF64X4;
            emit(extract, to, from, Imm.of(step.first() / step.lanes()));
        }
    }

    private void storeOfBlock(Step.StorePart step, Mem to, Vec block) {
        int lane = step.first() % BLOCK;
        if (step.lanes() == 2) {
            emit(lane == 0 ? MoveOps.VMOVQ : MoveOps.VMOVHPS, to, block);
        } else if (lane == 0) {
            emit(MoveOps.VMOVD, to, block);
        } else {
            emit(MoveOps.VEXTRACTPS, to, block, Imm.of(lane));
        }
    }

    /** Whether a part does not lie in the lowest block, and is none itself. */
    static boolean isInside(Step.StorePart step) {
        return step.lanes() < BLOCK && step.first() >= BLOCK;
    }

    private void move(Vec to, ProgramValue from) {
        if (from instanceof VectorVar variable) {
            if (registers.of(variable) != to.number()) {
                emit(MoveOps.VMOVAPS, to, vector(variable));
            }
        } else if (((Constant) from).isZero()) {
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
            case SHIFT_RIGHT_SIGNED -> PackedOps.VPSRAD;
            case INT_MUL -> PackedOps.VPMULLD;
            case INT_MIN -> PackedOps.VPMINSD;
            case INT_MAX -> PackedOps.VPMAXSD;
            case ADD_S16 -> PackedOps.VPADDW;
            case ADD_S16_SATURATED -> PackedOps.VPADDSW;
            case DOT_S16 -> PackedOps.VPMADDWD;
            case DOT_U8S8_SATURATED -> PackedOps.VPMADDUBSW;
            case INTERLEAVE_LOW -> ShuffleOps.VUNPCKLPS;
            case INTERLEAVE_HIGH -> ShuffleOps.VUNPCKHPS;
            case JOIN_LOW -> ShuffleOps.VUNPCKLPD;
            case JOIN_HIGH -> ShuffleOps.VUNPCKHPD;
            case PACK_S16 -> ShuffleOps.VPACKSSDW;
            case PACK_U8 -> ShuffleOps.VPACKUSWB;
            case PACK_S8 -> ShuffleOps.VPACKSSWB;
            default -> logicOp(op);
        };
    }

    @Override
    public void binary(Step.Binary step) {
        switch (step.op()) {
            case SCALE -> scale(step);
            case EVEN_BLOCKS, ODD_BLOCKS -> chosen(blockOp(), step, blockChoice(step.op()));
            case EVEN_LANES -> chosen(ShuffleOps.VSHUFPS, step, Imm.of(0x88));
            case ODD_LANES -> chosen(ShuffleOps.VSHUFPS, step, Imm.of(0xdd));
            default -> {
                Operand b = step.op().isShift() ? Imm.of(((Constant) step.b()).bits()) : operand(step.b());
                emit(binaryOp(step.op()), vector(step.to()), operand(step.a()), b);
            }
        }
    }

    @Override
    public void wide(Step.Wide step) {
        Vec to = vector(step.to());
        Vec a = vector(step.a());
        Vec b = vector(step.b());
        switch (step.op()) {
            case INT_EQUAL -> ask(PackedOps.VPCMPEQQ, to, a, b);
            case INT_GREATER -> ask(PackedOps.VPCMPGTQ, to, a, b);
            case EQUAL -> ask(FloatOps.VCMPPD, to, a, b, Imm.of(predicate(Comparison.EQUAL)));
            case LESS -> ask(FloatOps.VCMPPD, to, a, b, Imm.of(predicate(Comparison.LESS)));
            case LESS_OR_EQUAL -> ask(FloatOps.VCMPPD, to, a, b, Imm.of(predicate(Comparison.LESS_OR_EQUAL)));
            default -> emit(wideOp(step.op()), to, a, b);
        }
    }

    /** Emits a comparison of pairs, with what there is to compare. */
    abstract void ask(Op comparison, Vec to, Operand... operands);

    static Operand[] answering(Operand to, Operand... operands) {
        Operand[] all = new Operand[operands.length + 1];
        all[0] = to;
        System.arraycopy(operands, 0, all, 1, operands.length);
        return all;
    }

    private static Op wideOp(WideOp op) {
        return switch (op) {
            case ADD -> FloatOps.VADDPD;
            case SUB -> FloatOps.VSUBPD;
            case MUL -> FloatOps.VMULPD;
            case DIV -> FloatOps.VDIVPD;
            case MIN -> FloatOps.VMINPD;
            case MAX -> FloatOps.VMAXPD;
            case INT_ADD -> PackedOps.VPADDQ;
            case INT_SUB -> PackedOps.VPSUBQ;
            case INT_PRODUCT -> PackedOps.VPMULUDQ;
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    /** Lanes of two vectors that a constant chooses. */
    private void chosen(Op op, Step.Binary step, Imm choice) {
        emit(op, vector(step.to()), operand(step.a()), operand(step.b()), choice);
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
    public void dot(Step.Dot step) {
        Op op = step.op() == DotOp.U8S8 ? PackedOps.VPDPBUSD : ConvertOps.VDPBF16PS;
        emit(op, vector(step.to()), operand(step.a()), operand(step.b()));
    }

    static Op comparison(Comparison op) {
        return op == Comparison.INT_EQUAL ? PackedOps.VPCMPEQD : PackedOps.VPCMPGTD;
    }

    /** The instruction that reads elements into lanes that are not wider than those. */
    static Op widening(Element element) {
        return switch (element) {
            case U8 -> PackedOps.VPMOVZXBD;
            case S8 -> PackedOps.VPMOVSXBD;
            case U16 -> PackedOps.VPMOVZXWD;
            case S16 -> PackedOps.VPMOVSXWD;
            case F16 -> ConvertOps.VCVTPH2PS;
            case U8_PAIR -> PackedOps.VPMOVZXBW;
            case S8_PAIR -> PackedOps.VPMOVSXBW;
            case WORD -> MoveOps.VMOVUPS;
            case F64 -> throw new IllegalArgumentException(element.name());
        };
    }

    /** A narrow element is first given to all its places in the vector, then the surplus ones are shifted out. */
    @Override
    public void spread(Step.Spread step) {
        Vec to = vector(step.to());
        Mem from = memory(step.from());
        switch (step.element()) {
            case U8 -> shifted(MoveOps.VPBROADCASTB, PackedOps.VPSRLD, 24, to, from);
            case S8 -> shifted(MoveOps.VPBROADCASTB, PackedOps.VPSRAD, 24, to, from);
            case U16 -> shifted(MoveOps.VPBROADCASTW, PackedOps.VPSRLD, 16, to, from);
            case S16 -> shifted(MoveOps.VPBROADCASTW, PackedOps.VPSRAD, 16, to, from);
            case F16 -> {
                Vec half = to.as(width == Width.Z ? Width.Y : Width.X);
                emit(MoveOps.VPBROADCASTW, half, from);
                emit(ConvertOps.VCVTPH2PS, to, half);
            }
            case F64 -> {
                emit(MoveOps.VBROADCASTSD, to.as(Width.Y), from);
                emit(ConvertOps.VCVTPD2PS, to.as(Width.X), to.as(Width.Y));
                emit(MoveOps.VBROADCASTSS, to, to.as(Width.X));
            }
            default -> emit(MoveOps.VBROADCASTSS, to, from);
        }
    }

    private void shifted(Op spread, Op shift, int bits, Vec to, Mem from) {
        emit(spread, to, from);
        emit(shift, to, to, Imm.of(bits));
    }

    @Override
    public void spreadScalar(Step.SpreadScalar step) {
        Vec to = vector(step.to());
        emit(MoveOps.VMOVD, to.as(Width.X), scalar(step.from()).dword());
        emit(MoveOps.VPBROADCASTD, to, to.as(Width.X));
    }

    @Override
    public void scalarLoad(Step.ScalarLoad step) {
        emit(step.wide() ? ScalarOps.MOV : ScalarOps.MOVSXD, scalar(step.to()), memory(step.from()));
    }

    @Override
    public void move(Step.Move step) {
        Gpr moved = new Gpr(Registers.SCRATCH.number(), step.bytes());
        emit(ScalarOps.MOV, moved, memory(step.from()));
        emit(ScalarOps.MOV, memory(step.to()), moved);
    }

    /** Within blocks of four by a constant, else by a vector of lane numbers. */
    @Override
    public void permute(Step.Permute step) {
        Vec to = vector(step.to());
        Vec from = vector(step.from());
        int inBlocks = LanePattern.inBlocks(step.lanes());
        if (inBlocks != LanePattern.NONE) {
            emit(ShuffleOps.VPERMILPS, to, from, Imm.of(inBlocks));
            return;
        }
        Vec numbers = vector(registers.temporaries(number())[0]);
        emit(MoveOps.VMOVUPS, numbers, assembler.constant(LanePattern.numbers(step.lanes())));
        emit(ShuffleOps.VPERMPS, to, numbers, from);
        if (step.lanes().contains(Step.Permute.ZERO_LANE)) {
            emit(logicOp(BinaryOp.AND), to, to, assembler.constant(LanePattern.ones(step.lanes())));
        }
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
        emit(step.later() ? ScalarOps.PREFETCHT1 : ScalarOps.PREFETCHT0, memory(step.at()));
    }

    final Mem memory(Address address) {
        return address.index() == null
                ? Mem.at(scalar(address.base()), address.displacement())
                : Mem.at(scalar(address.base()), scalar(address.index()), address.scale(), address.displacement());
    }
}
