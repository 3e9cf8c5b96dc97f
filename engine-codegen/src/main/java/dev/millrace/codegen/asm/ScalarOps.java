package dev.millrace.codegen.asm;

import static dev.millrace.codegen.asm.Op.op;

/** Instructions on general purpose registers, control and prefetches. */
public final class ScalarOps {
    // moves
    public static final Op MOV = op(
            "mov",
            "L:BASE NP 1 Wr 89 MR r/m r",
            "L:BASE NP 1 Wr 8B RM r r/m",
            "L:BASE NP 1 W0 88 MR r1/m1 r1",
            "L:BASE NP 1 W0 8A RM r1 m1",
            "L:BASE 66 1 W0 89 MR m2 r2",
            "L:BASE 66 1 W0 8B RM r2 m2",
            "L:BASE NP 1 Wr C7/0 MI r i4");
    public static final Op MOVABS = op("movabs", "L:BASE NP 1 W1 B8 OI r8 i8");
    public static final Op MOVZX = op("movzx", "L:BASE NP 0F Wr B6 RM r r1/m1", "L:BASE NP 0F Wr B7 RM r r2/m2");
    public static final Op MOVSX = op("movsx", "L:BASE NP 0F Wr BE RM r r1/m1", "L:BASE NP 0F Wr BF RM r r2/m2");
    public static final Op MOVSXD = op("movsxd", "L:BASE NP 1 W1 63 RM r8 r4/m4");
    public static final Op LEA = op("lea", "L:BASE NP 1 Wr 8D RM r a");
    public static final Op PUSH = op("push", "L:BASE NP 1 W1 50 O r8");
    public static final Op POP = op("pop", "L:BASE NP 1 W1 58 O r8");

    // arithmetic
    public static final Op ADD = arithmetic("add", "01", "03", "/0");
    public static final Op OR = arithmetic("or", "09", "0B", "/1");
    public static final Op AND = arithmetic("and", "21", "23", "/4");
    public static final Op SUB = arithmetic("sub", "29", "2B", "/5");
    public static final Op XOR = arithmetic("xor", "31", "33", "/6");
    public static final Op CMP = arithmetic("cmp", "39", "3B", "/7");
    public static final Op TEST = op("test", "L:BASE NP 1 Wr 85 MR r/m r", "L:BASE NP 1 Wr F7/0 MI r i4");
    public static final Op INC = op("inc", "L:BASE NP 1 Wr FF/0 M r");
    public static final Op DEC = op("dec", "L:BASE NP 1 Wr FF/1 M r");
    public static final Op NOT = op("not", "L:BASE NP 1 Wr F7/2 M r");
    public static final Op NEG = op("neg", "L:BASE NP 1 Wr F7/3 M r");
    public static final Op MUL = op("mul", "L:BASE NP 1 Wr F7/4 M r");
    public static final Op DIV = op("div", "L:BASE NP 1 Wr F7/6 M r");
    public static final Op IDIV = op("idiv", "L:BASE NP 1 Wr F7/7 M r");
    public static final Op CQO = op("cqo", "L:BASE NP 1 W1 99 -");
    public static final Op IMUL = op(
            "imul", "L:BASE NP 0F Wr AF RM r r/m", "L:BASE NP 1 Wr 6B RMI r r/m i1", "L:BASE NP 1 Wr 69 RMI r r/m i4");

    // shifts and bits
    public static final Op ROL = op("rol", "L:BASE NP 1 Wr C1/0 MI r i", "L:BASE NP 1 Wr D3/0 MC r cl");
    public static final Op ROR = op("ror", "L:BASE NP 1 Wr C1/1 MI r i", "L:BASE NP 1 Wr D3/1 MC r cl");
    public static final Op SHL = op("shl", "L:BASE NP 1 Wr C1/4 MI r i", "L:BASE NP 1 Wr D3/4 MC r cl");
    public static final Op SHR = op("shr", "L:BASE NP 1 Wr C1/5 MI r i", "L:BASE NP 1 Wr D3/5 MC r cl");
    public static final Op SAR = op("sar", "L:BASE NP 1 Wr C1/7 MI r i", "L:BASE NP 1 Wr D3/7 MC r cl");
    public static final Op SHLX = op("shlx", "V:BMI2 66 0F38 Wr F7 RMV r r/m r");
    public static final Op SHRX = op("shrx", "V:BMI2 F2 0F38 Wr F7 RMV r r/m r");
    public static final Op SARX = op("sarx", "V:BMI2 F3 0F38 Wr F7 RMV r r/m r");
    public static final Op BZHI = op("bzhi", "V:BMI2 NP 0F38 Wr F5 RMV r r/m r");
    public static final Op ANDN = op("andn", "V:BMI1 NP 0F38 Wr F2 RVM r r r/m");
    public static final Op POPCNT = op("popcnt", "L:POPCNT F3 0F Wr B8 RM r r/m");
    public static final Op TZCNT = op("tzcnt", "L:BMI1 F3 0F Wr BC RM r r/m");
    public static final Op LZCNT = op("lzcnt", "L:LZCNT F3 0F Wr BD RM r r/m");

    // on conditions
    public static final Op CMOVB = op("cmovb", "L:BASE NP 0F Wr 42 RM r r/m");
    public static final Op CMOVAE = op("cmovae", "L:BASE NP 0F Wr 43 RM r r/m");
    public static final Op CMOVE = op("cmove", "L:BASE NP 0F Wr 44 RM r r/m");
    public static final Op CMOVNE = op("cmovne", "L:BASE NP 0F Wr 45 RM r r/m");
    public static final Op CMOVBE = op("cmovbe", "L:BASE NP 0F Wr 46 RM r r/m");
    public static final Op CMOVA = op("cmova", "L:BASE NP 0F Wr 47 RM r r/m");
    public static final Op CMOVL = op("cmovl", "L:BASE NP 0F Wr 4C RM r r/m");
    public static final Op CMOVGE = op("cmovge", "L:BASE NP 0F Wr 4D RM r r/m");
    public static final Op CMOVLE = op("cmovle", "L:BASE NP 0F Wr 4E RM r r/m");
    public static final Op CMOVG = op("cmovg", "L:BASE NP 0F Wr 4F RM r r/m");
    public static final Op SETB = op("setb", "L:BASE NP 0F W0 92 M r1/m1");
    public static final Op SETE = op("sete", "L:BASE NP 0F W0 94 M r1/m1");
    public static final Op SETNE = op("setne", "L:BASE NP 0F W0 95 M r1/m1");
    public static final Op SETL = op("setl", "L:BASE NP 0F W0 9C M r1/m1");
    public static final Op SETG = op("setg", "L:BASE NP 0F W0 9F M r1/m1");

    // control
    public static final Op RET = op("ret", "L:BASE NP 1 W0 C3 -");
    public static final Op CALL = op("call", "L:BASE NP 1 W0 FF/2 M r8");
    public static final Op JMP = op("jmp", "L:BASE NP 1 W0 FF/4 M r8");
    public static final Op NOP = op("nop", "L:BASE NP 1 W0 90 -");
    public static final Op UD2 = op("ud2", "L:BASE NP 0F W0 0B -");
    public static final Op INT3 = op("int3", "L:BASE NP 1 W0 CC -");
    public static final Op PAUSE = op("pause", "L:BASE F3 1 W0 90 -");
    public static final Op SYSCALL = op("syscall", "L:BASE NP 0F W0 05 -");
    public static final Op SFENCE = op("sfence", "L:BASE NP 0FAE W0 F8 -");
    public static final Op CPUID = op("cpuid", "L:BASE NP 0F W0 A2 -");
    public static final Op XGETBV = op("xgetbv", "L:BASE NP 0F01 W0 D0 -");
    public static final Op RDTSC = op("rdtsc", "L:BASE NP 0F W0 31 -");
    public static final Op VZEROUPPER = op("vzeroupper", "V:AVX NP 0F W0 77 -");

    // prefetches
    public static final Op PREFETCHNTA = op("prefetchnta", "L:BASE NP 0F W0 18/0 M m1");
    public static final Op PREFETCHT0 = op("prefetcht0", "L:BASE NP 0F W0 18/1 M m1");
    public static final Op PREFETCHT1 = op("prefetcht1", "L:BASE NP 0F W0 18/2 M m1");
    public static final Op PREFETCHT2 = op("prefetcht2", "L:BASE NP 0F W0 18/3 M m1");
    public static final Op PREFETCHW = op("prefetchw", "L:BASE NP 0F W0 0D/1 M m1");

    private ScalarOps() {}

    private static Op arithmetic(String mnemonic, String toMemory, String fromMemory, String extension) {
        return op(
                mnemonic,
                "L:BASE NP 1 Wr ".concat(toMemory).concat(" MR r/m r"),
                "L:BASE NP 1 Wr ".concat(fromMemory).concat(" RM r r/m"),
                "L:BASE NP 1 Wr 83".concat(extension).concat(" MI r i1"),
                "L:BASE NP 1 Wr 81".concat(extension).concat(" MI r i4"));
    }
}
