package dev.millrace.codegen.asm;

/**
 * A general purpose register at one of its widths.
 *
 * @param bytes 8, 4, 2 or 1. The low byte of rsp, rbp, rsi and rdi is spl, bpl, sil and dil; ah to dh do not exist
 *     here.
 */
public record Gpr(int number, int bytes) implements Operand {
    public static final Gpr RAX = new Gpr(0, 8);
    public static final Gpr RCX = new Gpr(1, 8);
    public static final Gpr RDX = new Gpr(2, 8);
    public static final Gpr RBX = new Gpr(3, 8);
    public static final Gpr RSP = new Gpr(4, 8);
    public static final Gpr RBP = new Gpr(5, 8);
    public static final Gpr RSI = new Gpr(6, 8);
    public static final Gpr RDI = new Gpr(7, 8);
    public static final Gpr R8 = new Gpr(8, 8);
    public static final Gpr R9 = new Gpr(9, 8);
    public static final Gpr R10 = new Gpr(10, 8);
    public static final Gpr R11 = new Gpr(11, 8);
    public static final Gpr R12 = new Gpr(12, 8);
    public static final Gpr R13 = new Gpr(13, 8);
    public static final Gpr R14 = new Gpr(14, 8);
    public static final Gpr R15 = new Gpr(15, 8);

    /** The registers by number, in full width. */
    private static final Gpr[] ALL = {RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15};

    public Gpr {
        if (number < 0 || number > 15) {
            throw new IllegalArgumentException("general purpose register " + number + " does not exist: 0 to 15 do");
        }
        if (bytes != 8 && bytes != 4 && bytes != 2 && bytes != 1) {
            throw new IllegalArgumentException("a general purpose register has 8, 4, 2 or 1 bytes, not " + bytes);
        }
    }

    public static Gpr of(int number) {
        return number >= 0 && number < ALL.length ? ALL[number] : new Gpr(number, 8);
    }

    /** The low four bytes. Writing them clears the upper four. */
    public Gpr dword() {
        return new Gpr(number, 4);
    }

    public Gpr word() {
        return new Gpr(number, 2);
    }

    public Gpr low() {
        return new Gpr(number, 1);
    }

    @Override
    public String toString() {
        return Printer.register(this);
    }
}
