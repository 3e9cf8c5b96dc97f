package dev.millrace.codegen.code;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.asm.FmaOps;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.MoveOps;
import dev.millrace.codegen.asm.ScalarOps;
import dev.millrace.codegen.asm.Vec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/** The first code that runs in a process: if it does not do as it should, nothing larger is tried. */
final class SelfCheck {
    private static final int EXPECTED = 42;

    private SelfCheck() {}

    /** Runs a stub that returns a number. */
    static void answers(CodeArena code) {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        assembler.emit(ScalarOps.MOV, Gpr.RAX, Imm.of(EXPECTED));
        assembler.emit(ScalarOps.RET);
        long answer =
                code.install(new RelocatableCode("answer", assembler.finish())).call(0, 0, 0, 0, 0, 0);
        if (answer != EXPECTED) {
            throw new IllegalStateException("a stub returned " + answer + " in place of " + EXPECTED);
        }
    }

    /** Runs x * x + x over one vector. */
    static void computes(CodeArena code, FeatureSet features, int lanes) {
        Vec x = lanes == 16 ? Vec.zmm(0) : Vec.ymm(0);
        Vec sum = new Vec(x.width(), 1);
        Assembler assembler = new Assembler(features);
        assembler.emit(MoveOps.VMOVUPS, x, Mem.at(Gpr.RDI));
        assembler.emit(MoveOps.VMOVAPS, sum, x);
        assembler.emit(FmaOps.VFMADD231PS, sum, x, x);
        assembler.emit(MoveOps.VMOVUPS, Mem.at(Gpr.RDI), sum);
        assembler.emit(ScalarOps.VZEROUPPER);
        assembler.emit(ScalarOps.RET);
        MachineFunction function = code.install(new RelocatableCode("squares", assembler.finish()));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4L * lanes, 64);
            FloatBuffer vector =
                    memory.asByteBuffer().order(ByteOrder.nativeOrder()).asFloatBuffer();
            for (int i = 0; i < lanes; i++) {
                vector.put(i, i);
            }
            function.call(memory.address(), 0, 0, 0, 0, 0);
            for (int i = 0; i < lanes; i++) {
                if (vector.get(i) != i * i + i) {
                    throw new IllegalStateException("a small sum came out wrong in lane " + i);
                }
            }
        }
    }
}
