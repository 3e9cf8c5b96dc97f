package dev.millrace.codegen.asm;

import org.jspecify.annotations.Nullable;

/** Whether operands fit a {@link Form}, and what follows for the encoding when they do. */
final class OperandMatch {
    /** Why operands do not fit; {@link #text} completes "cannot be encoded: ". */
    enum Refusal {
        COUNT("it takes another number of operands"),
        KIND("it does not take operands of these kinds"),
        WIDTH("these widths do not go together, or the instruction does not exist at this width"),
        EVEX_ONLY("registers 16 to 31, zmm, masks and broadcasts exist with AVX-512 encodings only"),
        FEATURE("it needs an instruction set that this assembler may not use"),
        VECTOR_LENGTH("at 128 and 256 bits it needs AVX512VL, which this assembler may not use"),
        MASK("it takes no write mask"),
        ZEROING("a comparison or store cannot zero the other lanes"),
        GATHER_MASK("a gather or scatter of AVX-512 needs a write mask, without zeroing"),
        IMMEDIATE("the constant is out of range"),
        DISTINCT("the registers of a gather must differ from each other");

        final String text;

        Refusal(String text) {
            this.text = text;
        }
    }

    final Form form;
    final Operand[] operands;
    /** Bytes of the vectors: 16, 32, 64. */
    final int length;
    /** Bytes of the general purpose operands that follow the operand size: 4 or 8, or 0 when there are none. */
    final int operandSize;

    final @Nullable Masked mask;

    private OperandMatch(Form form, Operand[] operands, int length, int operandSize, @Nullable Masked mask) {
        this.form = form;
        this.operands = operands;
        this.length = length;
        this.operandSize = operandSize;
        this.mask = mask;
    }

    /** A {@link OperandMatch}, or the {@link Refusal}. */
    static Object of(Form form, Operand[] actual, FeatureSet allowed) {
        EncodingSlot[] slots = form.slots;
        if (actual.length != slots.length) {
            return Refusal.COUNT;
        }
        Operand[] operands = actual;
        Masked mask = null;
        if (actual.length > 0 && actual[0] instanceof Masked masked) {
            mask = masked;
            operands = actual.clone();
            operands[0] = masked.target();
        }
        int length = form.followsLength ? 0 : form.maxLength;
        int operandSize = 0;
        for (int i = 0; i < slots.length; i++) {
            if (slots[i].register == 'v' && operands[i] instanceof Vec vec) {
                length = vec.width().bytes();
            } else if (slots[i].register == EncodingSlot.GENERAL
                    && slots[i].registerBytes == 0
                    && operands[i] instanceof Gpr gpr) {
                operandSize = gpr.bytes();
            }
        }
        if (length == 0) {
            return Refusal.KIND;
        }
        if (operandSize == 0 && form.w == Form.W_OPERAND) {
            operandSize = 8;
        }
        for (int i = 0; i < slots.length; i++) {
            Refusal refusal = refusal(slots[i], operands[i], length, operandSize);
            if (refusal != null) {
                return refusal;
            }
        }
        Refusal refusal = refusal(form, operands, length, mask, allowed);
        return refusal != null ? refusal : new OperandMatch(form, operands, length, operandSize, mask);
    }

    private static @Nullable Refusal refusal(
            Form form, Operand[] operands, int length, @Nullable Masked mask, FeatureSet allowed) {
        if (length < form.minLength || length > form.maxLength) {
            return length == 64 && form.encoding == Form.Encoding.VEX ? Refusal.EVEX_ONLY : Refusal.WIDTH;
        }
        boolean gather = false;
        for (EncodingSlot slot : form.slots) {
            gather |= slot.vectorIndex;
        }
        boolean evex = form.encoding == Form.Encoding.EVEX;
        if (!evex && (mask != null || needsEvex(operands))) {
            return Refusal.EVEX_ONLY;
        }
        if (!allowed.has(form.feature)) {
            return Refusal.FEATURE;
        }
        if (evex && form.followsLength && length < 64 && !allowed.has(Feature.AVX512VL)) {
            return Refusal.VECTOR_LENGTH;
        }
        if (evex && mask != null && !form.maskable) {
            return Refusal.MASK;
        }
        if (evex && gather && (mask == null || mask.zeroing())) {
            return Refusal.GATHER_MASK;
        }
        return gather && !distinctVectors(operands) ? Refusal.DISTINCT : null;
    }

    private static boolean needsEvex(Operand[] operands) {
        for (Operand operand : operands) {
            if (operand instanceof Vec vec && vec.number() > 15) {
                return true;
            }
            if (operand instanceof Mem mem && (mem.broadcast() || mem.index() instanceof Vec v && v.number() > 15)) {
                return true;
            }
        }
        return false;
    }

    private static boolean distinctVectors(Operand[] operands) {
        int seen = 0;
        for (Operand operand : operands) {
            Operand register = operand instanceof Mem mem ? mem.index() : operand;
            if (register instanceof Vec vec) {
                if ((seen >> vec.number() & 1) != 0) {
                    return false;
                }
                seen |= 1 << vec.number();
            }
        }
        return true;
    }

    private static @Nullable Refusal refusal(EncodingSlot slot, Operand operand, int length, int operandSize) {
        if (operand instanceof Vec vec) {
            if (!slot.isVector()) {
                return Refusal.KIND;
            }
            return vec.width().bytes() == slot.vectorBytes(length) ? null : Refusal.WIDTH;
        }
        if (operand instanceof Gpr gpr) {
            if (slot.register == EncodingSlot.CL) {
                return gpr.number() == 1 && gpr.bytes() == 1 ? null : Refusal.KIND;
            }
            if (slot.register != EncodingSlot.GENERAL) {
                return Refusal.KIND;
            }
            if (slot.registerBytes != 0) {
                return gpr.bytes() == slot.registerBytes ? null : Refusal.WIDTH;
            }
            return gpr.bytes() == operandSize && operandSize >= 4 ? null : Refusal.WIDTH;
        }
        if (operand instanceof Mask) {
            return slot.register == EncodingSlot.MASK ? null : Refusal.KIND;
        }
        if (operand instanceof Imm imm) {
            return refusal(slot, imm.value());
        }
        return operand instanceof Mem mem ? refusal(slot, mem, length) : Refusal.KIND;
    }

    private static @Nullable Refusal refusal(EncodingSlot slot, Mem mem, int length) {
        if (slot.memory == EncodingSlot.NO_MEMORY || mem.broadcast() && slot.broadcast == 0) {
            return Refusal.KIND;
        }
        if (slot.vectorIndex != mem.index() instanceof Vec) {
            return Refusal.KIND;
        }
        if (mem.index() instanceof Vec index && index.width().bytes() != length) {
            return Refusal.WIDTH;
        }
        return null;
    }

    private static @Nullable Refusal refusal(EncodingSlot slot, long value) {
        boolean fits = switch (slot.immediate) {
            case 'i' -> value >= 0 && value <= 255;
            case '1' -> value == (byte) value;
            case '4' -> value == (int) value;
            case '8' -> true;
            default -> false;
        };
        return fits ? null : slot.immediate == EncodingSlot.NONE ? Refusal.KIND : Refusal.IMMEDIATE;
    }
}
