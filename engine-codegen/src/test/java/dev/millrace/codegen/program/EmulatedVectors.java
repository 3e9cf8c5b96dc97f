package dev.millrace.codegen.program;

import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Mask;
import dev.millrace.codegen.asm.Masked;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.Operand;
import dev.millrace.codegen.asm.Vec;
import java.util.Arrays;
import java.util.Objects;

/** The vector and mask registers of the {@link Emulator}. Memory outside of a mask is not touched. */
final class EmulatedVectors {
    private static final int LANES = 16;
    private static final int ALL = 0xffff;

    private final EmulatedScalars scalars;
    private final EmulatedArithmetic arithmetic = new EmulatedArithmetic();
    private final int[][] vectors = new int[32][LANES];
    private final int[] masks = new int[8];

    EmulatedVectors(EmulatedScalars scalars) {
        this.scalars = scalars;
    }

    private static boolean included(int mask, int lane) {
        return (mask >> lane & 1) != 0;
    }

    /** Returns element {@code index} of {@code bytes} bytes, unsigned, from a register or from memory. */
    private int element(Operand from, int bytes, int index) {
        if (from instanceof Vec vec) {
            int bits = 8 * bytes * index;
            int word = vectors[vec.number()][bits / 32] >>> bits % 32;
            return bytes == 4 ? word : word & (1 << 8 * bytes) - 1;
        }
        Mem mem = (Mem) from;
        return scalars.load(scalars.address(mem) + (mem.broadcast() ? 0 : (long) bytes * index), bytes);
    }

    private int[] words(Operand from, int mask) {
        int[] words = new int[LANES];
        for (int i = 0; i < LANES; i++) {
            words[i] = from instanceof Vec || included(mask, i) ? element(from, 4, i) : 0;
        }
        return words;
    }

    void execute(String name, Operand[] operands) {
        Operand to = operands[0];
        int mask = ALL;
        boolean zeroing = false;
        if (to instanceof Masked masked) {
            mask = masks[masked.mask().number()];
            zeroing = masked.zeroing();
            to = masked.target();
        }
        if (name.equals("vmovupd")) {
            mask = ofWords(mask);
        }
        if (to instanceof Gpr number) {
            scalars.write(number, masks[((Mask) operands[1]).number()]);
        } else if (to instanceof Mask target) {
            masks[target.number()] = newMask(name, operands);
        } else if (to instanceof Mem mem) {
            store(name, scalars.address(mem), operands, mask);
        } else if (name.equals("vblendmps")) {
            int[] result = words(operands[1], ALL);
            write((Vec) to, words(operands[2], mask), result, mask, false);
        } else {
            int[] old = vectors[((Vec) to).number()].clone();
            write((Vec) to, result(name, operands, old, mask), old, mask, zeroing);
            if (name.equals("vgatherdps")) {
                masks[((Masked) operands[0]).mask().number()] = 0;
            }
        }
    }

    /** Converts a mask of doubles to a mask of their 32-bit halves. */
    private static int ofWords(int mask) {
        int words = 0;
        for (int i = 0; i < LANES; i++) {
            words |= included(mask, i / 2) ? 1 << i : 0;
        }
        return words;
    }

    private int newMask(String name, Operand[] operands) {
        return switch (name) {
            case "kmovw" ->
                operands[1] instanceof Mask from ? masks[from.number()] : ALL & (int) scalars.read(operands[1]);
            case "kshiftrw" -> masks[((Mask) operands[1]).number()] >> ((Imm) operands[2]).value();
            case "kxnorw" -> ~(masks[((Mask) operands[1]).number()] ^ masks[((Mask) operands[2]).number()]) & ALL;
            default -> {
                int predicate = operands.length > 3 ? (int) ((Imm) operands[3]).value() : 0;
                int[] a = words(operands[1], ALL);
                int[] b = words(operands[2], ALL);
                yield name.endsWith("q") || name.equals("vcmppd")
                        ? arithmetic.comparePairs(name, predicate, a, b)
                        : arithmetic.compare(name, predicate, a, b);
            }
        };
    }

    private void store(String name, long address, Operand[] operands, int mask) {
        Operand from = operands[1];
        int bytes = name.equals("vpmovdb") ? 1 : name.equals("vpmovdw") || name.equals("vcvtps2ph") ? 2 : 4;
        int lanes = storedLanes(name, (Vec) from);
        int part = operands.length > 2 ? (int) ((Imm) operands[2]).value() : name.equals("vmovhps") ? 1 : 0;
        boolean half = name.equals("vcvtps2ph");
        int first = half ? 0 : part * lanes;
        for (int i = 0; i < lanes; i++) {
            if (included(mask, i)) {
                int word = element(from, 4, first + i);
                int value = half ? Float.floatToFloat16(Float.intBitsToFloat(word)) : word;
                scalars.store(address + (long) bytes * i, bytes, value);
            }
        }
    }

    private static int storedLanes(String name, Vec from) {
        return switch (name) {
            case "vmovd", "vextractps" -> 1;
            case "vmovq", "vmovhps" -> 2;
            case "vextractf32x4" -> 4;
            case "vextractf64x4" -> 8;
            default -> from.width().bytes() / 4;
        };
    }

    /** Writes a register under a mask; lanes above the width of the register become zero. */
    private void write(Vec to, int[] result, int[] old, int mask, boolean zeroing) {
        int[] register = vectors[to.number()];
        int lanes = to.width().bytes() / 4;
        for (int i = 0; i < LANES; i++) {
            register[i] = i >= lanes ? 0 : included(mask, i) ? result[i] : zeroing ? 0 : old[i];
        }
    }

    private int[] result(String name, Operand[] operands, int[] old, int mask) {
        Operand from = operands[1];
        int[] result = new int[LANES];
        switch (name) {
            case "vmovd" -> result[0] = (int) scalars.read((Gpr) from);
            case "vbroadcastss", "vpbroadcastd" -> Arrays.fill(result, element(from, 4, 0));
            case "vpbroadcastw" -> Arrays.fill(result, element(from, 2, 0) * 0x0001_0001);
            case "vpbroadcastb" -> Arrays.fill(result, element(from, 1, 0) * 0x0101_0101);
            case "vbroadcastsd" -> {
                for (int i = 0; i < LANES; i++) {
                    result[i] = element(from, 4, i % 2);
                }
            }
            case "vgatherdps" -> gather(result, (Mem) from, mask);
            case "vpmovm2q" -> {
                for (int i = 0; i < LANES; i++) {
                    result[i] = included(masks[((Mask) from).number()], i / 2) ? -1 : 0;
                }
            }
            default -> {
                return EmulatedWidening.bytes(name) > 0
                        ? widened(name, from, mask)
                        : computed(name, operands, old, mask);
            }
        }
        return result;
    }

    private void gather(int[] result, Mem from, int mask) {
        Vec index = (Vec) Objects.requireNonNull(from.index());
        int[] indices = vectors[index.number()];
        for (int i = 0; i < LANES; i++) {
            if (included(mask, i)) {
                result[i] = scalars.load(scalars.address(from) + (long) indices[i] * from.scale(), 4);
            }
        }
    }

    private int[] widened(String name, Operand from, int mask) {
        int bytes = EmulatedWidening.bytes(name);
        int each = EmulatedWidening.perLane(name);
        int[] result = new int[LANES];
        for (int i = 0; i < LANES; i++) {
            if (from instanceof Vec || included(mask, i)) {
                int second = each == 2 ? element(from, bytes, 2 * i + 1) : 0;
                result[i] = EmulatedWidening.lane(name, element(from, bytes, each * i), second);
            }
        }
        return result;
    }

    private int[] computed(String name, Operand[] operands, int[] old, int mask) {
        int last = operands.length - 1;
        int immediate = operands[last] instanceof Imm imm ? (int) imm.value() : 0;
        int sources = operands[last] instanceof Imm ? last : last + 1;
        int[] a = words(operands[1], mask);
        int[] b = sources > 2 ? words(operands[2], mask) : a;
        return arithmetic.compute(name, old, a, b, immediate);
    }
}
