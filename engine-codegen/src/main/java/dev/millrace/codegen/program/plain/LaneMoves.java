package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.BinaryOp;

/** The definition of operations that move lanes. */
final class LaneMoves {
    private static final int BLOCK = 4;

    private LaneMoves() {}

    static int[] binary(BinaryOp op, int[] a, int[] b) {
        int[] to = new int[a.length];
        for (int i = 0; i < to.length; i++) {
            int place = i % BLOCK;
            int block = i - place;
            to[i] = switch (op) {
                case INTERLEAVE_LOW -> (place % 2 == 0 ? a : b)[block + place / 2];
                case INTERLEAVE_HIGH -> (place % 2 == 0 ? a : b)[block + 2 + place / 2];
                case JOIN_LOW -> (place < 2 ? a : b)[block + place % 2];
                case JOIN_HIGH -> (place < 2 ? a : b)[block + 2 + place % 2];
                case EVEN_LANES -> (place < 2 ? a : b)[block + 2 * (place % 2)];
                case ODD_LANES -> (place < 2 ? a : b)[block + 2 * (place % 2) + 1];
                case EVEN_BLOCKS -> half(i, a, b)[2 * block % a.length + place];
                case ODD_BLOCKS -> half(i, a, b)[(2 * block + BLOCK) % a.length + place];
                default -> throw new IllegalArgumentException(op.name());
            };
        }
        return to;
    }

    private static int[] half(int lane, int[] a, int[] b) {
        return lane < a.length / 2 ? a : b;
    }
}
