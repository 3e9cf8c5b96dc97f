package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.BinaryOp;

/** The definition of operations that saturate lanes, or halves of them, and pack them. */
final class LanePacks {
    private static final int BLOCK = 4;

    private LanePacks() {}

    static int[] binary(BinaryOp op, int[] a, int[] b) {
        int[] to = new int[a.length];
        for (int i = 0; i < to.length; i++) {
            int place = i % BLOCK;
            int[] from = place < 2 ? a : b;
            int first = i - place + 2 * (place % 2);
            to[i] = op == BinaryOp.PACK_S16
                    ? Arithmetic.saturated(from[first]) & 0xffff | Arithmetic.saturated(from[first + 1]) << 16
                    : bytes(op, from[first]) | bytes(op, from[first + 1]) << 16;
        }
        return to;
    }

    private static int bytes(BinaryOp op, int halves) {
        return saturated(op, (short) halves) | saturated(op, halves >> 16) << 8;
    }

    private static int saturated(BinaryOp op, int half) {
        return (op == BinaryOp.PACK_U8 ? Math.clamp(half, 0, 255) : Math.clamp(half, Byte.MIN_VALUE, Byte.MAX_VALUE))
                & 0xff;
    }
}
