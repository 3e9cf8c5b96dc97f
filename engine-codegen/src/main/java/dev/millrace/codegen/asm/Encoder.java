package dev.millrace.codegen.asm;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes the bytes of matched instructions, one after the other. */
final class Encoder {
    private static final int RIP = 5;
    private static final int SIB = 4;

    private final CodeBuffer code;

    /** ModRM.reg: a register number or the opcode extension. */
    private int reg;

    private int vvvv;
    private @Nullable Operand rm;

    Encoder(CodeBuffer code) {
        this.code = code;
    }

    void encode(OperandMatch match) {
        Form form = match.form;
        reg = form.extension < 0 ? 0 : form.extension;
        vvvv = 0;
        rm = null;
        for (int i = 0; i < form.slots.length; i++) {
            switch (form.roles[i]) {
                case 'R' -> reg = number(match.operands[i]);
                case 'V' -> vvvv = number(match.operands[i]);
                case 'M', 'O' -> rm = match.operands[i];
                default -> {}
            }
        }
        switch (form.encoding) {
            case LEGACY -> legacy(match);
            case VEX -> vex(match);
            case EVEX -> evex(match);
        }
        immediates(match);
    }

    private static int number(Operand operand) {
        if (operand instanceof Vec vec) {
            return vec.number();
        }
        if (operand instanceof Gpr gpr) {
            return gpr.number();
        }
        if (operand instanceof Mask mask) {
            return mask.number();
        }
        throw new IllegalArgumentException("not a register: " + operand);
    }

    private static int w(OperandMatch match) {
        Form form = match.form;
        return form.w == Form.W_OPERAND ? (match.operandSize == 8 ? 1 : 0) : form.w;
    }

    /** The register number of the base, or of the register in ModRM.rm. */
    private int baseNumber() {
        if (rm instanceof Mem mem) {
            return mem.base() == null ? 0 : mem.base().number();
        }
        return rm == null ? 0 : number(rm);
    }

    private int indexNumber() {
        return rm instanceof Mem mem && mem.index() != null ? number(mem.index()) : 0;
    }

    private void legacy(OperandMatch match) {
        Form form = match.form;
        if (form.prefix != 0) {
            code.put(form.prefix == 1 ? 0x66 : form.prefix == 2 ? 0xf3 : 0xf2);
        }
        boolean push = form.registerInOpcode && form.slots.length == 1;
        int rex = 0x40
                | (push ? 0 : w(match)) << 3
                | (reg >> 3 & 1) << 2
                | (indexNumber() >> 3 & 1) << 1
                | baseNumber() >> 3 & 1;
        if (rex != 0x40 || needsRexForByte(match)) {
            code.put(rex);
        }
        if (!form.map.equals("1")) {
            for (int i = 0; i < form.map.length(); i += 2) {
                code.put(Character.digit(form.map.charAt(i), 16) << 4 | Character.digit(form.map.charAt(i + 1), 16));
            }
        }
        if (form.registerInOpcode) {
            code.put(form.opcode | baseNumber() & 7);
        } else {
            code.put(form.opcode);
            modRm(form, 1);
        }
    }

    private static boolean needsRexForByte(OperandMatch match) {
        for (Operand operand : match.operands) {
            if (operand instanceof Gpr gpr && gpr.bytes() == 1 && gpr.number() >= 4 && gpr.number() < 8) {
                return true;
            }
        }
        return false;
    }

    private static int mapNumber(Form form) {
        return form.map.length() == 2 ? 1 : form.map.equals("0F38") ? 2 : 3;
    }

    private void vex(OperandMatch match) {
        Form form = match.form;
        int notR = ~reg >> 3 & 1;
        int notX = ~indexNumber() >> 3 & 1;
        int notB = ~baseNumber() >> 3 & 1;
        int low = (~vvvv & 15) << 3 | (match.length == 32 ? 1 : 0) << 2 | form.prefix;
        if (notX == 1 && notB == 1 && w(match) == 0 && mapNumber(form) == 1) {
            code.put(0xc5);
            code.put(notR << 7 | low);
        } else {
            code.put(0xc4);
            code.put(notR << 7 | notX << 6 | notB << 5 | mapNumber(form));
            code.put(w(match) << 7 | low);
        }
        code.put(form.opcode);
        if (form.slots.length > 0) {
            modRm(form, 1);
        }
    }

    private void evex(OperandMatch match) {
        Form form = match.form;
        int base = baseNumber();
        int x = base >> 4 & 1;
        int high = vvvv >> 4 & 1;
        boolean broadcast = false;
        if (rm instanceof Mem mem) {
            x = indexNumber() >> 3 & 1;
            high = mem.index() instanceof Vec index ? index.number() >> 4 & 1 : high;
            broadcast = mem.broadcast();
        }
        Masked mask = match.mask;
        code.put(0x62);
        code.put((~reg >> 3 & 1) << 7 | (x ^ 1) << 6 | (~base >> 3 & 1) << 5 | (~reg >> 4 & 1) << 4 | mapNumber(form));
        code.put(w(match) << 7 | (~vvvv & 15) << 3 | 4 | form.prefix);
        int lengthBits = match.length == 64 ? 2 : match.length == 32 ? 1 : 0;
        code.put((mask != null && mask.zeroing() ? 0x80 : 0)
                | lengthBits << 5
                | (broadcast ? 0x10 : 0)
                | (high ^ 1) << 3
                | (mask == null ? 0 : mask.mask().number()));
        code.put(form.opcode);
        modRm(form, displacementUnit(match, broadcast));
    }

    /** EVEX counts an 8-bit displacement in units of what the instruction reads or writes. */
    private static int displacementUnit(OperandMatch match, boolean broadcast) {
        Form form = match.form;
        for (int i = 0; i < form.slots.length; i++) {
            EncodingSlot slot = form.slots[i];
            if (form.roles[i] == 'M' && slot.memory != EncodingSlot.NO_MEMORY) {
                return broadcast ? slot.broadcast : slot.memoryBytes(match.length, match.operandSize);
            }
        }
        return 1;
    }

    private void modRm(Form form, int unit) {
        if (rm instanceof Mem mem) {
            memory(form, mem, unit);
        } else if (rm != null) {
            code.put(0xc0 | (reg & 7) << 3 | number(rm) & 7);
        }
    }

    private void memory(Form form, Mem mem, int unit) {
        int field = (reg & 7) << 3;
        Gpr base = mem.base();
        if (base == null) {
            code.put(field | RIP);
            relative(form, mem);
            return;
        }
        int displacement = mem.displacement();
        int low = base.number() & 7;
        int mod;
        if (displacement == 0 && low != RIP) {
            mod = 0;
        } else if (displacement % unit == 0 && displacement / unit == (byte) (displacement / unit)) {
            mod = 1;
        } else {
            mod = 2;
        }
        Operand index = mem.index();
        if (index != null || low == SIB) {
            code.put(mod << 6 | field | SIB);
            int scale = Integer.numberOfTrailingZeros(mem.scale());
            code.put(scale << 6 | (index == null ? SIB : number(index) & 7) << 3 | low);
        } else {
            code.put(mod << 6 | field | low);
        }
        if (mod == 1) {
            code.put(displacement / unit);
        } else if (mod == 2) {
            code.putInt(displacement);
        }
    }

    /** The distance counts from the end of the instruction, which is after its constants. */
    private void relative(Form form, Mem mem) {
        Label label = Objects.requireNonNull(mem.label());
        int site = code.size();
        int offset = mem.displacement() - form.immediateBytes();
        if (label.bound()) {
            code.putInt(label.position() + offset - (site + 4));
        } else {
            label.await(site);
            code.putInt(offset);
        }
    }

    private void immediates(OperandMatch match) {
        Form form = match.form;
        int selector = -1;
        for (int i = 0; i < form.slots.length; i++) {
            char role = form.roles[i];
            if (role == 'S') {
                selector = number(match.operands[i]) << 4;
            } else if (role == 'I' && match.operands[i] instanceof Imm imm) {
                switch (form.slots[i].immediateBytes()) {
                    case 1 -> code.put((int) imm.value());
                    case 4 -> code.putInt((int) imm.value());
                    default -> code.putLong(imm.value());
                }
            }
        }
        if (selector >= 0) {
            code.put(selector);
        }
    }
}
