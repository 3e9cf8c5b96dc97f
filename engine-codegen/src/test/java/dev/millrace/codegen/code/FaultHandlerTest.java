package dev.millrace.codegen.code;

import static dev.millrace.codegen.asm.ScalarOps.ADD;
import static dev.millrace.codegen.asm.ScalarOps.AND;
import static dev.millrace.codegen.asm.ScalarOps.CMP;
import static dev.millrace.codegen.asm.ScalarOps.DEC;
import static dev.millrace.codegen.asm.ScalarOps.JMP;
import static dev.millrace.codegen.asm.ScalarOps.LEA;
import static dev.millrace.codegen.asm.ScalarOps.MOV;
import static dev.millrace.codegen.asm.ScalarOps.POP;
import static dev.millrace.codegen.asm.ScalarOps.PUSH;
import static dev.millrace.codegen.asm.ScalarOps.RET;
import static dev.millrace.codegen.asm.ScalarOps.SUB;
import static dev.millrace.codegen.asm.ScalarOps.SYSCALL;
import static dev.millrace.codegen.asm.ScalarOps.TEST;
import static dev.millrace.codegen.asm.ScalarOps.XOR;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.Cond;
import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Label;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.memory.call.FaultHandler;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** The source of {@link FaultHandler}'s machine code. */
class FaultHandlerTest {
    private static final long TABLE = 0x7f12_3456_7000L;
    private static final long PREVIOUS = 0x7f76_5432_1040L;

    // siginfo_t
    private static final int CODE = 8;
    private static final int ADDRESS = 16;
    /** Nothing is at the address: the file ends before it. */
    private static final int BUS_ADRERR = 2;

    // a row of the table
    private static final int HEADER = 64;
    private static final int ROW = 32;
    private static final int END = 8;
    private static final int HITS = 16;

    // mmap
    private static final int SYS_MMAP = 9;
    private static final int PROT_READ = 1;
    private static final int FIXED_PRIVATE_ANONYMOUS = 0x32;
    private static final int LEAST_ERROR = -4095;
    private static final int PAGE = 4096;

    @Test
    void theBytesAreTheseInstructions() {
        byte[] expected = handler(TABLE, PREVIOUS);
        assertThat(HexFormat.of().formatHex(FaultHandler.code(TABLE, PREVIOUS)))
                .isEqualTo(HexFormat.of().formatHex(expected));
    }

    /** handler(signal in edi, siginfo_t in rsi, the context in rdx) */
    private static byte[] handler(long tableAddress, long previousAddress) {
        var assembler = new Assembler(FeatureSet.BASE);
        Mem table = assembler.constant((int) tableAddress, (int) (tableAddress >> 32));
        Mem previous = assembler.constant((int) previousAddress, (int) (previousAddress >> 32));
        var next = new Label();
        var other = new Label();
        var found = new Label();
        Gpr address = Gpr.RAX;
        Gpr rows = Gpr.RCX;
        Gpr row = Gpr.R9;
        Gpr start = Gpr.R10;
        Gpr end = Gpr.R11;

        assembler.emit(MOV, Gpr.RAX.dword(), Mem.at(Gpr.RSI, CODE));
        assembler.emit(CMP, Gpr.RAX.dword(), Imm.of(BUS_ADRERR));
        assembler.jump(Cond.NOT_EQUAL, other);
        assembler.emit(MOV, address, Mem.at(Gpr.RSI, ADDRESS));
        assembler.emit(MOV, Gpr.R8, table);
        assembler.emit(MOV, rows, Mem.at(Gpr.R8));
        assembler.emit(LEA, row, Mem.at(Gpr.R8, HEADER));
        assembler.emit(TEST, rows, rows);
        assembler.jump(Cond.EQUAL, other);
        Label look = assembler.here();
        assembler.emit(MOV, start, Mem.at(row));
        assembler.emit(CMP, address, start);
        assembler.jump(Cond.BELOW, next);
        assembler.emit(MOV, end, Mem.at(row, END));
        assembler.emit(CMP, address, end);
        assembler.jump(Cond.ABOVE_OR_EQUAL, next);
        // a row that changes meanwhile is not this address's, whose mapping somebody is reading
        assembler.emit(CMP, start, Mem.at(row));
        assembler.jump(Cond.EQUAL, found);
        assembler.bind(next);
        assembler.emit(ADD, row, Imm.of(ROW));
        assembler.emit(DEC, rows);
        assembler.jump(Cond.NOT_EQUAL, look);
        assembler.bind(other);
        assembler.emit(MOV, address, previous);
        assembler.emit(JMP, address);

        assembler.bind(found);
        assembler.emit(MOV, start.dword(), Imm.of(1));
        assembler.emit(ADD, Mem.at(row, HITS), start);
        assembler.emit(PUSH, Gpr.RDI);
        assembler.emit(PUSH, Gpr.RSI);
        assembler.emit(PUSH, Gpr.RDX);
        // mmap(the page, all behind it, PROT_READ, ..., no file)
        assembler.emit(MOV, Gpr.RDI, address);
        assembler.emit(AND, Gpr.RDI, Imm.of(-PAGE));
        assembler.emit(MOV, Gpr.RSI, end);
        assembler.emit(SUB, Gpr.RSI, Gpr.RDI);
        assembler.emit(MOV, Gpr.RDX.dword(), Imm.of(PROT_READ));
        assembler.emit(MOV, Gpr.R10.dword(), Imm.of(FIXED_PRIVATE_ANONYMOUS));
        assembler.emit(MOV, Gpr.R8, Imm.of(-1));
        assembler.emit(XOR, Gpr.R9.dword(), Gpr.R9.dword());
        assembler.emit(MOV, Gpr.RAX.dword(), Imm.of(SYS_MMAP));
        assembler.emit(SYSCALL);
        assembler.emit(POP, Gpr.RDX);
        assembler.emit(POP, Gpr.RSI);
        assembler.emit(POP, Gpr.RDI);
        assembler.emit(CMP, Gpr.RAX, Imm.of(LEAST_ERROR));
        assembler.jump(Cond.ABOVE_OR_EQUAL, other);
        assembler.emit(RET);
        return assembler.finish();
    }
}
