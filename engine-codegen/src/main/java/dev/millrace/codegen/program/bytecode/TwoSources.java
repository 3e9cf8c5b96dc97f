package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.BinaryOp;

/** The lane orders of operations that combine the lanes of two vectors. */
final class TwoSources {
    private static final int BLOCK = 4;

    private TwoSources() {}

    /** Returns for each lane of the result a lane of the first operand, or, from {@code lanes} on, of the second. */
    static int[] order(BinaryOp op, int lanes) {
        int[] order = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            int place = i % BLOCK;
            int block = i - place;
            order[i] = switch (op) {
                case INTERLEAVE_LOW -> block + place / 2 + place % 2 * lanes;
                case INTERLEAVE_HIGH -> block + 2 + place / 2 + place % 2 * lanes;
                case JOIN_LOW -> block + place % 2 + place / 2 * lanes;
                case JOIN_HIGH -> block + 2 + place % 2 + place / 2 * lanes;
                case EVEN_LANES -> block + 2 * (place % 2) + place / 2 * lanes;
                case ODD_LANES -> block + 2 * (place % 2) + 1 + place / 2 * lanes;
                case EVEN_BLOCKS -> 2 * block + place;
                case ODD_BLOCKS -> 2 * block + BLOCK + place;
                default -> throw new IllegalArgumentException(op.name());
            };
        }
        return order;
    }
}
