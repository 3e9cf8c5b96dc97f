package dev.millrace.codegen.asm;

import java.util.Arrays;

/**
 * One way to encode an instruction. A row of the table reads, for example,
 *
 * <pre>V:AVX/E:AVX512F 66 0F W0 58 RVM v v v/m/b4 L256+</pre>
 *
 * <ul>
 *   <li>the encoding (L legacy, V VEX, E EVEX) and the feature that it needs; alternatives after a slash, preferred
 *       first
 *   <li>the prefix: NP, 66, F3, F2
 *   <li>the map: 1 for none, 0F, 0F38, 0F3A, or the leading bytes of a longer legacy opcode
 *   <li>W0, W1, Wr (1 when the general purpose operands have 8 bytes), W01 (0 in VEX, 1 in EVEX)
 *   <li>the opcode, with /n when ModRM.reg holds an extension of it
 *   <li>where each operand goes: R ModRM.reg, M ModRM.rm, V VEX.vvvv, O the low bits of the opcode, I constant, S the
 *       upper bits of a constant byte, C nowhere; - when there are no operands
 *   <li>what each operand may be: {@link EncodingSlot}
 *   <li>flags: L256, L512 that length alone, L256+ from that length up; a length without any vector of that length is
 *       fixed by the flag. nomask: takes no write mask
 * </ul>
 */
final class Form {
    enum Encoding {
        LEGACY,
        VEX,
        EVEX
    }

    static final int W_OPERAND = 2;

    final Encoding encoding;
    final Feature feature;
    final int prefix;
    final String map;
    final int w;
    final int opcode;
    /** -1, or the opcode extension. */
    final int extension;

    final char[] roles;
    /** Whether the first operand is in the low bits of the opcode. */
    final boolean registerInOpcode;

    final EncodingSlot[] slots;
    final int minLength;
    final int maxLength;
    final boolean maskable;
    final boolean followsLength;

    private Form(String alternative, String[] tokens) {
        encoding = switch (alternative.charAt(0)) {
            case 'L' -> Encoding.LEGACY;
            case 'V' -> Encoding.VEX;
            default -> Encoding.EVEX;
        };
        feature = Feature.valueOf(alternative.substring(2));
        prefix = switch (tokens[1]) {
            case "NP" -> 0;
            case "66" -> 1;
            case "F3" -> 2;
            default -> 3;
        };
        map = tokens[2];
        w = switch (tokens[3]) {
            case "W0" -> 0;
            case "W1" -> 1;
            case "Wr" -> W_OPERAND;
            default -> encoding == Encoding.EVEX ? 1 : 0;
        };
        int slash = tokens[4].indexOf('/');
        opcode = Integer.parseInt(slash < 0 ? tokens[4] : tokens[4].substring(0, slash), 16);
        extension = slash < 0 ? -1 : tokens[4].charAt(slash + 1) - '0';
        roles = tokens[5].equals("-") ? new char[0] : tokens[5].toCharArray();
        registerInOpcode = roles.length > 0 && roles[0] == 'O';
        slots = new EncodingSlot[roles.length];
        boolean anyVector = false;
        for (int i = 0; i < slots.length; i++) {
            slots[i] = EncodingSlot.parse(tokens[6 + i]);
            anyVector |= "vhqe".indexOf(slots[i].register) >= 0 && slots[i].register != EncodingSlot.NONE;
        }
        followsLength = anyVector;
        int min = 16;
        int max = !anyVector ? 16 : encoding == Encoding.EVEX ? 64 : 32;
        boolean masks = encoding == Encoding.EVEX;
        for (int i = 6 + slots.length; i < tokens.length; i++) {
            switch (tokens[i]) {
                case "L256" -> min = max = 32;
                case "L512" -> min = max = 64;
                case "L256+" -> min = 32;
                default -> masks = false;
            }
        }
        minLength = min;
        maxLength = max;
        maskable = masks;
    }

    static Form[] parse(String[] rows) {
        Form[] forms = new Form[4 * rows.length];
        int count = 0;
        for (String row : rows) {
            String[] tokens = row.split(" ");
            for (String alternative : tokens[0].split("/")) {
                forms[count++] = new Form(alternative, tokens);
            }
        }
        return Arrays.copyOf(forms, count);
    }

    /** How many bytes of constants end the instruction. */
    int immediateBytes() {
        int bytes = 0;
        for (int i = 0; i < slots.length; i++) {
            bytes += roles[i] == 'S' ? 1 : slots[i].immediateBytes();
        }
        return bytes;
    }
}
