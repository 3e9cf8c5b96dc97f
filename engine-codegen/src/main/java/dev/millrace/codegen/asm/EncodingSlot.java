package dev.millrace.codegen.asm;

/**
 * The kinds of operand that one position of a {@link Form} accepts, parsed from a token:
 *
 * <table>
 * <caption>Tokens</caption>
 * <tr><td>{@code v h q e}</td><td>vector of the length of the instruction, half, a quarter, an eighth of it (xmm at
 * least)</td></tr>
 * <tr><td>{@code x y}</td><td>xmm, ymm</td></tr>
 * <tr><td>{@code k}</td><td>mask register</td></tr>
 * <tr><td>{@code r}, {@code r1 r2 r4 r8}</td><td>general purpose register of 4 or 8 bytes; of so many bytes</td></tr>
 * <tr><td>{@code cl}</td><td>the register cl</td></tr>
 * <tr><td>{@code m}, {@code mh}, {@code mN}, {@code a}</td><td>memory: as wide as the instruction, half of it, N bytes,
 * an address alone</td></tr>
 * <tr><td>{@code gN}</td><td>memory with a vector index and elements of N bytes</td></tr>
 * <tr><td>{@code .../m}, {@code .../mN}</td><td>a register, or memory as wide as it, or of N bytes</td></tr>
 * <tr><td>{@code .../bN}</td><td>also one element of N bytes for all lanes</td></tr>
 * <tr><td>{@code i}, {@code i1}, {@code i4}, {@code i8}</td><td>constant: a byte, a signed byte, four signed bytes,
 * eight bytes</td></tr>
 * </table>
 */
final class EncodingSlot {
    static final int NO_MEMORY = 0;
    /** The value of {@link #memory} for an address whose bytes are not read, as lea has it. */
    static final int ADDRESS = 1 << 10;
    /** The value of {@link #memory} for memory as wide as the general purpose operands. */
    static final int OPERAND_SIZE = 1 << 11;

    static final char NONE = 0;
    static final char CL = 'c';
    static final char GENERAL = 'r';
    static final char MASK = 'k';

    /** One of {@code v h q e x y k r c}, or {@link #NONE}. */
    final char register;
    /** The bytes of a general purpose register, 0 for 4 or 8. */
    final int registerBytes;
    /** The bytes of memory, negative for a divisor of the length, or one of the constants. */
    final int memory;
    /** The bytes of the broadcast element, 0 for none. */
    final int broadcast;
    /** The kind of constant: one of {@code i 1 4 8}, or 0 for none. */
    final char immediate;

    final boolean vectorIndex;

    private EncodingSlot(
            char register, int registerBytes, int memory, int broadcast, char immediate, boolean vectorIndex) {
        this.register = register;
        this.registerBytes = registerBytes;
        this.memory = memory;
        this.broadcast = broadcast;
        this.immediate = immediate;
        this.vectorIndex = vectorIndex;
    }

    static EncodingSlot parse(String token) {
        if (token.equals("cl")) {
            return new EncodingSlot(CL, 1, NO_MEMORY, 0, NONE, false);
        }
        char first = token.charAt(0);
        return switch (first) {
            case 'i' -> new EncodingSlot(NONE, 0, NO_MEMORY, 0, token.length() == 1 ? 'i' : token.charAt(1), false);
            case 'a' -> new EncodingSlot(NONE, 0, ADDRESS, 0, NONE, false);
            case 'g' -> new EncodingSlot(NONE, 0, number(token, 1), 0, NONE, true);
            case 'm' -> new EncodingSlot(NONE, 0, memory(token, 'v'), 0, NONE, false);
            default -> registerOrMemory(token, first);
        };
    }

    private static EncodingSlot registerOrMemory(String token, char register) {
        int slash = token.indexOf('/');
        String name = slash < 0 ? token : token.substring(0, slash);
        int bytes = name.length() > 1 ? number(name, 1) : 0;
        int memory = NO_MEMORY;
        int broadcast = 0;
        while (slash >= 0) {
            int next = token.indexOf('/', slash + 1);
            String part = token.substring(slash + 1, next < 0 ? token.length() : next);
            if (part.charAt(0) == 'm') {
                memory = memory(part, register);
            } else {
                broadcast = number(part, 1);
            }
            slash = next;
        }
        return new EncodingSlot(register, bytes, memory, broadcast, NONE, false);
    }

    private static int memory(String token, char register) {
        if (token.length() > 1) {
            return token.charAt(1) == 'h' ? -2 : number(token, 1);
        }
        return register == GENERAL ? OPERAND_SIZE : -divisor(register);
    }

    private static int number(String text, int from) {
        int value = 0;
        for (int i = from; i < text.length(); i++) {
            value = 10 * value + text.charAt(i) - '0';
        }
        return value;
    }

    private static int divisor(char register) {
        return switch (register) {
            case 'v' -> 1;
            case 'h' -> 2;
            case 'q' -> 4;
            case 'e' -> 8;
            default -> throw new IllegalArgumentException("memory beside this register needs its width: " + register);
        };
    }

    boolean isVector() {
        return switch (register) {
            case 'v', 'h', 'q', 'e', 'x', 'y' -> true;
            default -> false;
        };
    }

    /** Returns the bytes of the vector register for a length of the instruction. */
    int vectorBytes(int length) {
        return switch (register) {
            case 'x' -> 16;
            case 'y' -> 32;
            default -> Math.max(16, length / divisor(register));
        };
    }

    /** Returns the bytes of memory for a length of the instruction and a size of its general purpose operands. */
    int memoryBytes(int length, int operandSize) {
        if (memory == OPERAND_SIZE) {
            return operandSize;
        }
        return memory < 0 ? length / -memory : memory;
    }

    int immediateBytes() {
        return switch (immediate) {
            case NONE -> 0;
            case '4' -> 4;
            case '8' -> 8;
            default -> 1;
        };
    }
}
