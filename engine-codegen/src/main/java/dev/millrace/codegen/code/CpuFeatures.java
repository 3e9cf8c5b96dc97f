package dev.millrace.codegen.code;

import static dev.millrace.codegen.asm.ScalarOps.CPUID;
import static dev.millrace.codegen.asm.ScalarOps.MOV;
import static dev.millrace.codegen.asm.ScalarOps.OR;
import static dev.millrace.codegen.asm.ScalarOps.POP;
import static dev.millrace.codegen.asm.ScalarOps.PUSH;
import static dev.millrace.codegen.asm.ScalarOps.RET;
import static dev.millrace.codegen.asm.ScalarOps.SHL;
import static dev.millrace.codegen.asm.ScalarOps.XGETBV;
import static dev.millrace.codegen.asm.ScalarOps.XOR;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.Feature;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Mem;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Asks the processor, and the operating system's part in it, what instructions may be used. */
final class CpuFeatures {
    private static final int EAX = 0;
    private static final int EBX = 1;
    private static final int ECX = 2;
    /** The system saves xmm and ymm; also the masks, the upper halves of zmm, and zmm16 to zmm31. */
    private static final long YMM_STATE = 0x06;

    private static final long ZMM_STATE = 0xe6;

    private final MachineFunction cpuid;
    private final MachineFunction xgetbv;
    private final long answerPointer;
    /** A buffer, since the first read of a segment costs a process some milliseconds. */
    private final ByteBuffer answer;

    private CpuFeatures(MachineFunction cpuid, MachineFunction xgetbv, MemorySegment answer) {
        this.cpuid = cpuid;
        this.xgetbv = xgetbv;
        answerPointer = answer.address();
        this.answer = answer.asByteBuffer().order(ByteOrder.nativeOrder());
    }

    static FeatureSet detect(CodeArena code) {
        MachineFunction cpuid = code.install(new RelocatableCode("cpuid", cpuidCode()));
        MachineFunction xgetbv = code.install(new RelocatableCode("xgetbv", xgetbvCode()));
        try (Arena arena = Arena.ofConfined()) {
            return new CpuFeatures(cpuid, xgetbv, arena.allocate(16, 4)).detect();
        }
    }

    /** f(leaf, subleaf, address of four ints) */
    private static byte[] cpuidCode() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        assembler.emit(PUSH, Gpr.RBX);
        assembler.emit(MOV, Gpr.R8, Gpr.RDX);
        assembler.emit(MOV, Gpr.RAX.dword(), Gpr.RDI.dword());
        assembler.emit(MOV, Gpr.RCX.dword(), Gpr.RSI.dword());
        assembler.emit(CPUID);
        assembler.emit(MOV, Mem.at(Gpr.R8, 0), Gpr.RAX.dword());
        assembler.emit(MOV, Mem.at(Gpr.R8, 4), Gpr.RBX.dword());
        assembler.emit(MOV, Mem.at(Gpr.R8, 8), Gpr.RCX.dword());
        assembler.emit(MOV, Mem.at(Gpr.R8, 12), Gpr.RDX.dword());
        assembler.emit(POP, Gpr.RBX);
        assembler.emit(RET);
        return assembler.finish();
    }

    private static byte[] xgetbvCode() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        assembler.emit(XOR, Gpr.RCX.dword(), Gpr.RCX.dword());
        assembler.emit(XGETBV);
        assembler.emit(SHL, Gpr.RDX, Imm.of(32));
        assembler.emit(OR, Gpr.RAX, Gpr.RDX);
        assembler.emit(RET);
        return assembler.finish();
    }

    private void ask(int leaf, int subleaf) {
        cpuid.call(leaf, subleaf, answerPointer, 0, 0, 0);
    }

    private boolean bit(int register, int bit) {
        return (answer.getInt(4 * register) >> bit & 1) != 0;
    }

    private FeatureSet detect() {
        ask(0, 0);
        int leaves = answer.getInt(0);
        ask(0x80000000, 0);
        boolean extended = Integer.compareUnsigned(answer.getInt(0), 0x80000001) >= 0;
        FeatureSet found = FeatureSet.BASE;
        if (extended) {
            ask(0x80000001, 0);
            found = with(found, ECX, 5, Feature.LZCNT);
        }
        ask(1, 0);
        found = with(found, ECX, 23, Feature.POPCNT);
        boolean systemSavesState = bit(ECX, 27);
        long saved = systemSavesState ? xgetbv.call(0, 0, 0, 0, 0, 0) : 0;
        boolean ymm = (saved & YMM_STATE) == YMM_STATE;
        boolean zmm = (saved & ZMM_STATE) == ZMM_STATE;
        if (ymm) {
            found = with(found, ECX, 12, Feature.FMA);
            found = with(found, ECX, 28, Feature.AVX);
            found = with(found, ECX, 29, Feature.F16C);
        }
        return leaves < 7 ? found : withLeaf7(found, ymm, zmm);
    }

    private FeatureSet withLeaf7(FeatureSet base, boolean ymm, boolean zmm) {
        FeatureSet found = base;
        ask(7, 0);
        int subleaves = answer.getInt(0);
        found = with(found, EBX, 3, Feature.BMI1);
        found = with(found, EBX, 8, Feature.BMI2);
        if (ymm) {
            found = with(found, EBX, 5, Feature.AVX2);
        }
        if (zmm) {
            found = with(found, EBX, 16, Feature.AVX512F);
            found = with(found, EBX, 17, Feature.AVX512DQ);
            found = with(found, EBX, 30, Feature.AVX512BW);
            found = with(found, EBX, 31, Feature.AVX512VL);
            found = with(found, ECX, 1, Feature.AVX512_VBMI);
            found = with(found, ECX, 11, Feature.AVX512_VNNI);
        }
        if (subleaves >= 1) {
            ask(7, 1);
            found = ymm ? with(found, EAX, 4, Feature.AVX_VNNI) : found;
            found = zmm ? with(found, EAX, 5, Feature.AVX512_BF16) : found;
        }
        return found;
    }

    private FeatureSet with(FeatureSet set, int register, int bit, Feature feature) {
        return bit(register, bit) ? set.with(feature) : set;
    }
}
