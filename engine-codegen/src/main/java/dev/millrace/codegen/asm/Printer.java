package dev.millrace.codegen.asm;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Intel's syntax, letter by letter as GNU objdump prints it. */
final class Printer {
    private static final String[] QWORDS = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
    private static final String[] LOW_BYTES = {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil"};
    private static final String[] FLOAT_PREDICATES = {
        "eq",
        "lt",
        "le",
        "unord",
        "neq",
        "nlt",
        "nle",
        "ord",
        "eq_uq",
        "nge",
        "ngt",
        "false",
        "neq_oq",
        "ge",
        "gt",
        "true",
        "eq_os",
        "lt_oq",
        "le_oq",
        "unord_s",
        "neq_us",
        "nlt_uq",
        "nle_uq",
        "ord_s",
        "eq_us",
        "nge_uq",
        "ngt_uq",
        "false_os",
        "neq_os",
        "ge_oq",
        "gt_oq",
        "true_us"
    };
    /** objdump knows no names for 3 (false) and 7 (true). */
    private static final String[] INTEGER_PREDICATES = {"eq", "lt", "le", "", "neq", "nlt", "nle", ""};

    private final Emitted emitted;
    private final OperandMatch match;

    private Printer(Emitted emitted, OperandMatch match) {
        this.emitted = emitted;
        this.match = match;
    }

    static String print(Emitted emitted) {
        Label target = emitted.target();
        if (target != null) {
            Cond condition = emitted.condition();
            String name = condition == null ? "jmp" : "j" + condition.suffix();
            return name + " 0x" + Integer.toHexString(target.position());
        }
        return new Printer(emitted, Objects.requireNonNull(emitted.match())).instruction();
    }

    private String instruction() {
        String name = Objects.requireNonNull(emitted.op()).mnemonic();
        int count = match.operands.length;
        String alias = predicateAlias(name);
        if (alias != null) {
            name = alias;
            count--;
        }
        StringBuilder text = new StringBuilder(name);
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? ' ' : ',').append(operand(i));
            if (i == 0 && match.mask != null) {
                text.append("{k").append(match.mask.mask().number()).append('}');
                text.append(match.mask.zeroing() ? "{z}" : "");
            }
        }
        return text.toString();
    }

    /** Comparisons carry their predicate in the name. */
    private @Nullable String predicateAlias(String name) {
        int last = match.operands.length - 1;
        if (last < 0 || !(match.operands[last] instanceof Imm imm)) {
            return null;
        }
        int code = (int) imm.value();
        if (name.equals("vcmpps") || name.equals("vcmppd")) {
            return code < 32 ? "vcmp" + FLOAT_PREDICATES[code] + name.substring(4) : null;
        }
        if (name.startsWith("vpcmp") && code < 8 && !INTEGER_PREDICATES[code].isEmpty()) {
            return "vpcmp" + INTEGER_PREDICATES[code] + name.substring(5);
        }
        return null;
    }

    private String operand(int i) {
        Operand operand = match.operands[i];
        EncodingSlot slot = match.form.slots[i];
        if (operand instanceof Mem mem) {
            return memory(mem, slot);
        }
        if (operand instanceof Imm imm) {
            return immediate(imm.value(), slot);
        }
        return register(operand);
    }

    private String immediate(long value, EncodingSlot slot) {
        if (slot.immediate == 'i') {
            return "0x" + Long.toHexString(value);
        }
        return "0x" + (match.operandSize == 4 ? Integer.toHexString((int) value) : Long.toHexString(value));
    }

    private String memory(Mem mem, EncodingSlot slot) {
        StringBuilder text = new StringBuilder();
        if (slot.memory != EncodingSlot.ADDRESS) {
            int bytes = mem.broadcast() ? slot.broadcast : slot.memoryBytes(match.length, match.operandSize);
            text.append(size(bytes)).append(mem.broadcast() ? " BCST " : " PTR ");
        }
        text.append('[');
        int displacement = mem.displacement();
        boolean always = false;
        if (mem.base() == null) {
            text.append("rip");
            displacement += Objects.requireNonNull(mem.label()).position() - emitted.end();
        } else {
            text.append(register(mem.base()));
            Operand index = mem.index();
            if (index != null) {
                text.append('+').append(register(index)).append('*').append(mem.scale());
            }
            always = (mem.base().number() & 7) == 5;
        }
        if (mem.base() == null) {
            text.append("+0x").append(Long.toHexString(displacement));
        } else if (displacement != 0 || always) {
            text.append(displacement < 0 ? "-0x" : "+0x").append(Integer.toHexString(Math.abs(displacement)));
        }
        return text.append(']').toString();
    }

    private static String size(int bytes) {
        return switch (bytes) {
            case 1 -> "BYTE";
            case 2 -> "WORD";
            case 4 -> "DWORD";
            case 8 -> "QWORD";
            case 16 -> "XMMWORD";
            case 32 -> "YMMWORD";
            default -> "ZMMWORD";
        };
    }

    static String register(Operand operand) {
        if (operand instanceof Vec vec) {
            return vec.width().prefix() + vec.number();
        }
        if (operand instanceof Mask mask) {
            return "k" + mask.number();
        }
        Gpr gpr = (Gpr) operand;
        int number = gpr.number();
        if (number >= 8) {
            return "r" + number + (gpr.bytes() == 8 ? "" : gpr.bytes() == 4 ? "d" : gpr.bytes() == 2 ? "w" : "b");
        }
        return switch (gpr.bytes()) {
            case 8 -> QWORDS[number];
            case 4 -> "e" + QWORDS[number].substring(1);
            case 2 -> QWORDS[number].substring(1);
            default -> LOW_BYTES[number];
        };
    }
}
