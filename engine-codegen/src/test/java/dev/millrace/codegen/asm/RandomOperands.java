package dev.millrace.codegen.asm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Random operands that fit a row of the table: every register, every shape of address, every kind of mask. */
final class RandomOperands {
    private final Random random;
    private final Label near;

    /** @param near a bound label for addresses relative to the instruction */
    RandomOperands(Random random, Label near) {
        this.random = random;
        this.near = near;
    }

    /** Operands that the form encodes. */
    OperandMatch match(Form form) {
        while (true) {
            Object result = OperandMatch.of(form, operands(form), FeatureSet.all());
            if (result instanceof OperandMatch match) {
                return match;
            }
            if (result != OperandMatch.Refusal.DISTINCT && result != OperandMatch.Refusal.KIND) {
                throw new AssertionError(Arrays.toString(form.roles) + ": " + result);
            }
        }
    }

    private Operand[] operands(Form form) {
        int length = length(form);
        int operandSize = random.nextBoolean() ? 8 : 4;
        Operand[] operands = new Operand[form.slots.length];
        boolean gather = false;
        for (int i = 0; i < operands.length; i++) {
            operands[i] = operand(form, form.slots[i], length, operandSize);
            gather |= form.slots[i].vectorIndex;
        }
        if (form.maskable && operands.length > 0 && (gather || random.nextBoolean())) {
            Mask mask = new Mask(1 + random.nextInt(7));
            boolean zeroing = operands[0] instanceof Vec && !gather && random.nextBoolean();
            operands[0] = new Masked(operands[0], mask, zeroing);
        }
        return operands;
    }

    private int length(Form form) {
        List<Integer> lengths = new ArrayList<>();
        for (int length = form.minLength; length <= form.maxLength; length *= 2) {
            lengths.add(length);
        }
        return lengths.get(random.nextInt(lengths.size()));
    }

    private Operand operand(Form form, EncodingSlot slot, int length, int operandSize) {
        if (slot.immediate != EncodingSlot.NONE) {
            return immediate(slot);
        }
        boolean register = slot.register != EncodingSlot.NONE;
        if (slot.memory != EncodingSlot.NO_MEMORY && (!register || random.nextInt(3) > 0)) {
            int bytes = slot.memory == EncodingSlot.ADDRESS ? 1 : slot.memoryBytes(length, operandSize);
            return memory(form, slot, length, bytes);
        }
        if (slot.isVector()) {
            return vector(form, slot.vectorBytes(length));
        }
        return switch (slot.register) {
            case EncodingSlot.MASK -> new Mask(random.nextInt(8));
            case EncodingSlot.CL -> Gpr.RCX.low();
            default -> new Gpr(random.nextInt(16), slot.registerBytes == 0 ? operandSize : slot.registerBytes);
        };
    }

    private Vec vector(Form form, int bytes) {
        return new Vec(Width.holding(bytes), random.nextInt(form.encoding == Form.Encoding.EVEX ? 32 : 16));
    }

    private Imm immediate(EncodingSlot slot) {
        return new Imm(
                switch (slot.immediate) {
                    case 'i' -> random.nextInt(random.nextBoolean() ? 256 : 33);
                    case '1' -> random.nextInt(256) - 128;
                    case '4' -> random.nextInt();
                    default -> random.nextLong();
                });
    }

    private Mem memory(Form form, EncodingSlot slot, int length, int bytes) {
        Gpr base = Gpr.of(random.nextInt(16));
        int scale = 1 << random.nextInt(4);
        Mem mem;
        if (slot.vectorIndex) {
            mem = Mem.at(base, vector(form, length), scale, displacement(bytes));
        } else if (random.nextInt(8) == 0) {
            mem = Mem.at(near).plus(displacement(bytes));
        } else if (random.nextBoolean()) {
            int index = random.nextInt(15);
            mem = Mem.at(base, Gpr.of(index < 4 ? index : index + 1), scale, displacement(bytes));
        } else {
            mem = Mem.at(base, displacement(bytes));
        }
        boolean canBroadcast = slot.broadcast != 0 && form.encoding == Form.Encoding.EVEX;
        return canBroadcast && random.nextInt(3) == 0 ? mem.toAllLanes() : mem;
    }

    private int displacement(int unit) {
        return switch (random.nextInt(6)) {
            case 0 -> 0;
            case 1 -> unit * (random.nextInt(258) - 129);
            case 2 -> random.nextInt(258) - 129;
            case 3 -> 4 * (random.nextInt(258) - 129);
            case 4 -> random.nextInt(2_000_000) - 1_000_000;
            default -> unit * (random.nextInt(4000) - 2000);
        };
    }
}
