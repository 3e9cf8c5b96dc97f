package dev.millrace.kernels.program;

import dev.millrace.kernels.asm.Assembler;
import dev.millrace.kernels.asm.Cond;
import dev.millrace.kernels.asm.Emitted;
import dev.millrace.kernels.asm.Gpr;
import dev.millrace.kernels.asm.Imm;
import dev.millrace.kernels.asm.Mask;
import dev.millrace.kernels.asm.Masked;
import dev.millrace.kernels.asm.Mem;
import dev.millrace.kernels.asm.Operand;
import dev.millrace.kernels.asm.Vec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs the listing of an assembler: the instructions that the AVX-512 lowering emits, as the processor's manual defines
 * them. With the encodings checked against objdump, this stands in for a processor that is not at hand.
 */
final class Emulator {
    private static final int[] ARGUMENTS = {7, 6, 2, 1, 8, 9};
    private static final int[] CALLEE_SAVED = {3, 5, 12, 13, 14, 15};
    private static final int LANES = 16;

    private final List<Emitted> listing;
    private final ByteBuffer code;
    private final Map<Integer, Integer> indexOf = new HashMap<>();
    private final MemorySegment all = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private final long[] general = new long[16];
    private final int[][] vectors = new int[32][LANES];
    private final int[] masks = new int[8];
    private final Deque<Long> stack = new ArrayDeque<>();
    private final EmulatedArithmetic arithmetic = new EmulatedArithmetic();
    private long flagsLeft;
    private long flagsRight;

    Emulator(Assembler assembler) {
        code = ByteBuffer.wrap(assembler.finish()).order(ByteOrder.LITTLE_ENDIAN);
        listing = assembler.listing();
        for (int i = 0; i < listing.size(); i++) {
            indexOf.put(listing.get(i).start(), i);
        }
    }

    void call(long... arguments) {
        for (int i = 0; i < 16; i++) {
            general[i] = 0x5555_0000_0000L + i;
        }
        for (int i = 0; i < arguments.length; i++) {
            general[ARGUMENTS[i]] = arguments[i];
        }
        int next = 0;
        while (true) {
            Emitted instruction = listing.get(next);
            if (instruction.target() != null) {
                boolean taken = instruction.condition() == null || holds(instruction.condition());
                next = taken ? index(instruction.target().position()) : next + 1;
            } else {
                String name = Objects.requireNonNull(instruction.op()).mnemonic();
                if (name.equals("ret")) {
                    break;
                }
                execute(name, instruction.operands().toArray(new Operand[0]));
                next++;
            }
        }
        for (int i : CALLEE_SAVED) {
            if (general[i] != 0x5555_0000_0000L + i || !stack.isEmpty()) {
                throw new AssertionError("register " + i + " or the stack was not given back");
            }
        }
    }

    /** A label may stand before alignment: the next instruction is the one that follows. */
    private int index(int position) {
        for (int at = position; ; at++) {
            Integer index = indexOf.get(at);
            if (index != null) {
                return index;
            }
        }
    }

    private boolean holds(Cond condition) {
        return switch (condition) {
            case EQUAL -> flagsLeft == flagsRight;
            case LESS -> flagsLeft < flagsRight;
            case GREATER -> flagsLeft > flagsRight;
            case GREATER_OR_EQUAL -> flagsLeft >= flagsRight;
            default -> throw new AssertionError(condition);
        };
    }

    private void execute(String name, Operand[] operands) {
        if (name.startsWith("prefetch") || name.equals("vzeroupper")) {
            return;
        }
        if (name.startsWith("v") || name.startsWith("k")) {
            vector(name, operands);
        } else {
            scalar(name, operands);
        }
    }

    private long read(Operand operand) {
        return switch (operand) {
            case Imm imm -> imm.value();
            case Gpr gpr -> gpr.bytes() == 8 ? general[gpr.number()] : general[gpr.number()] & 0xffff_ffffL;
            default -> throw new AssertionError(operand);
        };
    }

    private void write(Gpr to, long value) {
        general[to.number()] = to.bytes() == 8 ? value : value & 0xffff_ffffL;
    }

    private void scalar(String name, Operand[] operands) {
        Gpr to = (Gpr) operands[0];
        switch (name) {
            case "push" -> stack.push(read(to));
            case "pop" -> write(to, stack.pop());
            case "mov", "movabs" -> write(to, read(operands[1]));
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
            case "bzhi" -> write(to, read(operands[1]) & (1L << (read(operands[2]) & 0xff)) - 1);
            default -> throw new AssertionError(name);
        }
    }

    private void compare(long left, long right) {
        flagsLeft = left;
        flagsRight = right;
    }

    private long address(Mem mem) {
        long index = mem.index() == null ? 0 : read(mem.index()) * mem.scale();
        return read(Objects.requireNonNull(mem.base())) + index + mem.displacement();
    }

    private int word(Mem mem, int lane) {
        int at = mem.broadcast() ? 0 : 4 * lane;
        return mem.label() == null
                ? all.get(ValueLayout.JAVA_INT_UNALIGNED, address(mem) + at)
                : code.getInt(mem.label().position() + mem.displacement() + at);
    }

    private int[] lanes(Operand operand, int mask) {
        int[] lanes = new int[LANES];
        if (operand instanceof Vec vec) {
            return vectors[vec.number()].clone();
        }
        for (int i = 0; i < LANES; i++) {
            lanes[i] = (mask >> i & 1) != 0 ? word((Mem) operand, i) : 0;
        }
        return lanes;
    }

    private void vector(String name, Operand[] operands) {
        Operand to = operands[0];
        int mask = 0xffff;
        boolean zeroing = false;
        if (to instanceof Masked masked) {
            mask = masks[masked.mask().number()];
            zeroing = masked.zeroing();
            to = masked.target();
        }
        if (name.equals("kmovw")) {
            masks[((Mask) to).number()] = (int) read(operands[1]) & 0xffff;
        } else if (name.equals("vbroadcastss")) {
            Arrays.fill(vectors[((Vec) to).number()], word((Mem) operands[1], 0));
        } else if (name.equals("vcmpps")) {
            masks[((Mask) to).number()] =
                    arithmetic.compare((int) read(operands[3]), lanes(operands[1], mask), lanes(operands[2], mask));
        } else if (to instanceof Mem mem) {
            int[] from = lanes(operands[1], mask);
            for (int i = 0; i < LANES; i++) {
                if ((mask >> i & 1) != 0) {
                    all.set(ValueLayout.JAVA_INT_UNALIGNED, address(mem) + 4L * i, from[i]);
                }
            }
        } else {
            computed(name, operands, (Vec) to, mask, zeroing);
        }
    }

    private void computed(String name, Operand[] operands, Vec to, int mask, boolean zeroing) {
        int[] old = vectors[to.number()].clone();
        if (name.equals("vblendmps")) {
            int[] otherwise = lanes(operands[1], 0xffff);
            int[] then = lanes(operands[2], 0xffff);
            for (int i = 0; i < LANES; i++) {
                vectors[to.number()][i] = (mask >> i & 1) != 0 ? then[i] : otherwise[i];
            }
            return;
        }
        int last = operands.length - 1;
        int immediate = operands[last] instanceof Imm imm ? (int) imm.value() : 0;
        int sources = operands[last] instanceof Imm ? last : last + 1;
        int[] a = lanes(operands[1], mask);
        int[] b = sources > 2 ? lanes(operands[2], mask) : a;
        int[] result = arithmetic.compute(name, old, a, b, immediate);
        for (int i = 0; i < LANES; i++) {
            boolean written = (mask >> i & 1) != 0;
            vectors[to.number()][i] = written ? result[i] : zeroing ? 0 : old[i];
        }
    }
}
