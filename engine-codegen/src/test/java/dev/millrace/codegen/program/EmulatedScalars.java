package dev.millrace.codegen.program;

import dev.millrace.codegen.asm.Cond;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.Operand;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;

/** The general purpose registers of the {@link Emulator}, its stack, flags and memory. */
final class EmulatedScalars {
    private static final int[] ARGUMENTS = {7, 6, 2, 1, 8, 9};
    private static final int[] CALLEE_SAVED = {3, 5, 12, 13, 14, 15};
    private static final long FOREIGN = 0x5555_0000_0000L;

    private final MemorySegment all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private final MemorySegment code;
    private final long[] general = new long[16];
    private final Deque<Long> stack = new ArrayDeque<>();
    private long flagsLeft;
    private long flagsRight;

    EmulatedScalars(MemorySegment code) {
        this.code = code;
    }

    void enter(long... arguments) {
        for (int i = 0; i < general.length; i++) {
            general[i] = FOREIGN + i;
        }
        for (int i = 0; i < arguments.length; i++) {
            general[ARGUMENTS[i]] = arguments[i];
        }
    }

    void leave() {
        for (int i : CALLEE_SAVED) {
            if (general[i] != FOREIGN + i || !stack.isEmpty()) {
                throw new AssertionError("register " + i + " or the stack was not given back");
            }
        }
    }

    boolean holds(Cond condition) {
        return switch (condition) {
            case EQUAL -> flagsLeft == flagsRight;
            case LESS -> flagsLeft < flagsRight;
            case GREATER -> flagsLeft > flagsRight;
            case GREATER_OR_EQUAL -> flagsLeft >= flagsRight;
            default -> throw new AssertionError(condition);
        };
    }

    /** Memory of other widths than 64 bits is read by the instructions that do so. */
    long read(Operand operand) {
        return switch (operand) {
            case Imm imm -> imm.value();
            case Gpr gpr -> gpr.bytes() == 8 ? general[gpr.number()] : general[gpr.number()] & 0xffff_ffffL;
            case Mem mem -> all.get(ValueLayout.JAVA_LONG_UNALIGNED, address(mem));
            default -> throw new AssertionError(operand);
        };
    }

    void write(Gpr to, long value) {
        general[to.number()] = to.bytes() == 8 ? value : value & (1L << 8 * to.bytes()) - 1;
    }

    /** Without what a vector index adds. */
    long address(Mem mem) {
        if (mem.label() != null) {
            return code.address() + mem.label().position() + mem.displacement();
        }
        long index = mem.index() instanceof Gpr gpr ? read(gpr) * mem.scale() : 0;
        return read(Objects.requireNonNull(mem.base())) + index + mem.displacement();
    }

    /** Without sign, from 1, 2 or 4 bytes. */
    int load(long address, int bytes) {
        return switch (bytes) {
            case 1 -> all.get(ValueLayout.JAVA_BYTE, address) & 0xff;
            case 2 -> all.get(ValueLayout.JAVA_SHORT_UNALIGNED, address) & 0xffff;
            default -> all.get(ValueLayout.JAVA_INT_UNALIGNED, address);
        };
    }

    void store(long address, int bytes, int value) {
        switch (bytes) {
            case 1 -> all.set(ValueLayout.JAVA_BYTE, address, (byte) value);
            case 2 -> all.set(ValueLayout.JAVA_SHORT_UNALIGNED, address, (short) value);
            default -> all.set(ValueLayout.JAVA_INT_UNALIGNED, address, value);
        }
    }

    private void store(Gpr from, long address) {
        if (from.bytes() == Long.BYTES) {
            all.set(ValueLayout.JAVA_LONG_UNALIGNED, address, general[from.number()]);
        } else {
            store(address, from.bytes(), (int) general[from.number()]);
        }
    }

    void execute(String name, Operand[] operands) {
        if (operands[0] instanceof Mem mem) {
            store((Gpr) operands[1], address(mem));
            return;
        }
        Gpr to = (Gpr) operands[0];
        switch (name) {
            case "push" -> stack.push(read(to));
            case "pop" -> write(to, stack.pop());
            case "mov", "movabs" -> write(to, moved(to, operands[1]));
            case "movsxd" -> write(to, load(address((Mem) operands[1]), 4));
            case "lea" -> write(to, address((Mem) operands[1]));
            case "add" -> write(to, read(to) + read(operands[1]));
            case "sub" -> {
                compare(read(to), read(operands[1]));
                write(to, read(to) - read(operands[1]));
            }
            case "imul" -> write(to, read(operands[operands.length - 2]) * read(operands[operands.length - 1]));
            case "and" -> write(to, read(to) & read(operands[1]));
            case "xor" -> write(to, read(to) ^ read(operands[1]));
            case "shl" -> write(to, read(to) << read(operands[1]));
            case "shr" -> write(to, read(to) >>> read(operands[1]));
            case "cmp" -> compare(read(to), read(operands[1]));
            case "test" -> compare(read(to) & read(operands[1]), 0);
            case "cmovg" -> write(to, read(holds(Cond.GREATER) ? operands[1] : to));
            case "cmovl" -> write(to, read(holds(Cond.LESS) ? operands[1] : to));
            case "bzhi" -> write(to, read(operands[1]) & (1L << (read(operands[2]) & 0xff)) - 1);
            default -> throw new AssertionError(name);
        }
    }

    private long moved(Gpr to, Operand from) {
        return from instanceof Mem mem && to.bytes() < Long.BYTES ? load(address(mem), to.bytes()) : read(from);
    }

    private void compare(long left, long right) {
        flagsLeft = left;
        flagsRight = right;
    }
}
