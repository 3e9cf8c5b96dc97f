package dev.millrace.codegen.code;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.Cond;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Label;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.ScalarOps;
import java.util.List;

/**
 * Machine code that makes the calls of a table one after the other, and two functions that stand in such tables for
 * what Java does between kernels.
 */
public final class CallPlayer {
    /** A function and its six arguments, filled up to a cache line. */
    static final int ENTRY_BYTES = 64;

    private static final List<Gpr> ARGUMENTS = List.of(Gpr.RDI, Gpr.RSI, Gpr.RDX, Gpr.RCX, Gpr.R8, Gpr.R9);

    private final MachineFunction calls;
    private final MachineFunction copy;
    private final MachineFunction zeros;

    public CallPlayer(CodeArena arena) {
        List<MachineFunction> installed = arena.install(List.of(
                new RelocatableCode("calls", callsOfTable()),
                new RelocatableCode("copy bytes", copyBytes()),
                new RelocatableCode("zero bytes", zeroBytes())));
        calls = installed.get(0);
        copy = installed.get(1);
        zeros = installed.get(2);
    }

    /** Makes so many calls, from this entry of a table on. */
    void play(long entries, long count) {
        calls.call(entries, count, 0, 0, 0, 0);
    }

    /** Takes where to copy to, where from, and how many bytes. */
    MachineFunction copy() {
        return copy;
    }

    /** Takes where to write, and how many bytes. */
    MachineFunction zeros() {
        return zeros;
    }

    private static byte[] callsOfTable() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        Label next = new Label();
        Label end = new Label();
        assembler.emit(ScalarOps.PUSH, Gpr.RBX);
        assembler.emit(ScalarOps.PUSH, Gpr.RBP);
        assembler.emit(ScalarOps.SUB, Gpr.RSP, Imm.of(8));
        assembler.emit(ScalarOps.MOV, Gpr.RBX, Gpr.RDI);
        assembler.emit(ScalarOps.MOV, Gpr.RBP, Gpr.RSI);
        assembler.bind(next);
        assembler.emit(ScalarOps.TEST, Gpr.RBP, Gpr.RBP);
        assembler.jump(Cond.EQUAL, end);
        for (int i = 0; i < ARGUMENTS.size(); i++) {
            assembler.emit(ScalarOps.MOV, ARGUMENTS.get(i), Mem.at(Gpr.RBX, 8 * (i + 1)));
        }
        assembler.emit(ScalarOps.MOV, Gpr.RAX, Mem.at(Gpr.RBX));
        assembler.emit(ScalarOps.CALL, Gpr.RAX);
        assembler.emit(ScalarOps.ADD, Gpr.RBX, Imm.of(ENTRY_BYTES));
        assembler.emit(ScalarOps.DEC, Gpr.RBP);
        assembler.jump(next);
        assembler.bind(end);
        assembler.emit(ScalarOps.ADD, Gpr.RSP, Imm.of(8));
        assembler.emit(ScalarOps.POP, Gpr.RBP);
        assembler.emit(ScalarOps.POP, Gpr.RBX);
        assembler.emit(ScalarOps.RET);
        return assembler.finish();
    }

    /** Words as long as there are whole ones, then bytes. */
    private static byte[] copyBytes() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        for (int bytes = Long.BYTES; bytes > 0; bytes /= Long.BYTES) {
            Gpr word = bytes == Long.BYTES ? Gpr.RAX : Gpr.RAX.low();
            forEach(assembler, bytes, Gpr.RDX, () -> {
                assembler.emit(ScalarOps.MOV, word, Mem.at(Gpr.RSI));
                assembler.emit(ScalarOps.MOV, Mem.at(Gpr.RDI), word);
                assembler.emit(ScalarOps.ADD, Gpr.RSI, Imm.of(word.bytes()));
                assembler.emit(ScalarOps.ADD, Gpr.RDI, Imm.of(word.bytes()));
            });
        }
        assembler.emit(ScalarOps.RET);
        return assembler.finish();
    }

    private static byte[] zeroBytes() {
        Assembler assembler = new Assembler(FeatureSet.BASE);
        assembler.emit(ScalarOps.XOR, Gpr.RAX, Gpr.RAX);
        for (int bytes = Long.BYTES; bytes > 0; bytes /= Long.BYTES) {
            Gpr word = bytes == Long.BYTES ? Gpr.RAX : Gpr.RAX.low();
            forEach(assembler, bytes, Gpr.RSI, () -> {
                assembler.emit(ScalarOps.MOV, Mem.at(Gpr.RDI), word);
                assembler.emit(ScalarOps.ADD, Gpr.RDI, Imm.of(word.bytes()));
            });
        }
        assembler.emit(ScalarOps.RET);
        return assembler.finish();
    }

    /** A loop that goes on while there are so many bytes left. */
    private static void forEach(Assembler assembler, int bytes, Gpr left, Runnable body) {
        Label next = new Label();
        Label end = new Label();
        assembler.bind(next);
        assembler.emit(ScalarOps.CMP, left, Imm.of(bytes));
        assembler.jump(Cond.LESS, end);
        body.run();
        assembler.emit(ScalarOps.SUB, left, Imm.of(bytes));
        assembler.jump(next);
        assembler.bind(end);
    }
}
